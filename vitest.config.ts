import { defineConfig } from 'vitest/config';

// Units mirror src/ and run on the sources; the process suite starts real programs on the built package.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/{records,failures,transport,instrumentation,frameworks,command,house,security}/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'process',
          include: ['test/{process,bench,package}/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
    maxWorkers: 2,
  },
});
