import { configDefaults, defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export.
export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, '**/dist/**'],
    // The tests with the real CLI wait as much as they work: two files at a time, even on two cores.
    maxWorkers: 2,
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
        test: {
          name: 'quick',
          include: ['provider/src/**/*.test.ts', 'tests/{integration,simulation}/**/*.test.ts'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'local',
          include: ['tests/{emulator,tools,browser}/**/*.test.ts'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'cli',
          include: ['tests/{e2e,chaos}/**/*.test.ts'],
          // Each step starts the real CLI, which takes seconds.
          testTimeout: 300_000,
          hookTimeout: 120_000,
          maxConcurrency: 3,
        },
      },
    ],
  },
});
