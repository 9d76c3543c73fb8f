// `npm run mutation`: changes the sources one place at a time and counts the changes that fail a unit test.

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
const config = {
  mutate: [
    'provider/src/endpoint/endpoint-state.ts',
    'provider/src/lifecycle/argument-table.ts',
    'provider/src/operations/operation-outcome.ts',
    'provider/src/control-api/{retry,write-once,failure-meaning}.ts',
    'provider/src/operations/{operation-poller,wait-for-operations,wait-for-unfinished,poll-schedule}.ts',
  ],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'tools/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // Copies only what the unit tests need: otherwise they would test the built packages instead of the mutants.
  ignorePatterns: [
    '**',
    '!provider/src/**',
    '!tests/support/*.ts',
    '!tools/mutation/*',
    '!tsconfig.json',
    '!package.json',
  ],
  concurrency: 2,
  timeoutMS: 5_000,
  reporters: ['clear-text', 'html', 'json'],
  clearTextReporter: { logTests: false, allowColor: false },
  htmlReporter: { fileName: '.mutation/report.html' },
  jsonReporter: { fileName: '.mutation/report.json' },
  tempDirName: '.mutation/sandbox',
  thresholds: { high: 90, low: 85, break: 85 },
};

// biome-ignore lint/style/noDefaultExport: Stryker reads the default export.
export default config;
