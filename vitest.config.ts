import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';

/** Both packages as their source, so that no test runs the last build. */
const sources = {
  'postgres-control-emulator': 'emulator/src/index.ts',
  'pulumi-postgres-compute/plugin': 'provider/src/plugin-index.ts',
  'pulumi-postgres-compute': 'provider/src/index.ts',
};
const alias = Object.entries(sources).map(([name, file]) => ({
  find: new RegExp(`^${name}$`),
  replacement: join(__dirname, file),
}));

/** Only against what never ends: on a busy machine with a slow disk, each test may take ten times as long. */
const patient = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 120_000 } } };

// biome-ignore lint/style/noDefaultExport: vitest reads the default export.
export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, '**/dist/**'],
    // The tests with the real CLI or a real Postgres also wait: three files at a time, even on two cores.
    maxWorkers: 3,
    // Of the provider, in the tests' own processes only, not in processes that they start.
    coverage: {
      provider: 'v8',
      include: ['provider/src/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', ['text', { skipFull: true }]],
      reportsDirectory: '.reports/coverage',
      thresholds: { branches: 95, functions: 95, lines: 95, statements: 95 },
    },
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'quick',
          include: ['provider/src/**/*.test.ts', 'tests/{integration,simulation,documents}/**/*.test.ts'],
          // Each worker loads the sources once: that takes longer than the tests. No file may leave anything behind.
          isolate: false,
          setupFiles: ['tests/support/forget-stack.ts'],
          ...patient,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'local',
          include: ['tests/{emulator,tools,browser}/**/*.test.ts'],
          // As above.
          isolate: false,
          ...patient,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'cli',
          include: ['tests/{e2e,chaos}/**/*.test.ts'],
          // As above.
          isolate: false,
          // Each step starts the real CLI, which takes seconds.
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect: { poll: { timeout: 300_000 } },
          maxConcurrency: 3,
        },
      },
    ],
  },
});
