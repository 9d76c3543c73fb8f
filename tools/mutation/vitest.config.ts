import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export.
export default defineConfig({
  test: {
    include: ['provider/src/{endpoint,lifecycle,operations,control-api}/*.test.ts'],
  },
});
