import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: what vitest reads is the default export.
export default defineConfig({
  test: {
    include: ['provider/src/*.test.ts', 'provider/src/{operations,control-api}/*.test.ts'],
  },
});
