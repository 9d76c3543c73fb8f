import { configDefaults, defineConfig } from 'vitest/config';

const quick = ['provider/src/**/*.test.ts', 'tests/{integration,emulator,tools,browser}/**/*.test.ts'];

// biome-ignore lint/style/noDefaultExport: what vitest reads is the default export.
export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, '**/dist/**'],
    // The tests with the real CLI wait as much as they work: two files at a time, also on two cores.
    maxWorkers: 2,
    projects: [
      { test: { name: 'quick', include: quick, testTimeout: 20_000 } },
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
