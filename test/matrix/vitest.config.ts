import { defineConfig } from 'vitest/config';

// Run by scripts/matrix.mjs, which makes the Nodes and the users' projects ready. The tests run on this Node and start
// the others as servers.
export default defineConfig({
  test: {
    name: 'matrix',
    include: ['test/matrix/*.test.ts'],
    testTimeout: 120_000,
    maxWorkers: 2,
  },
});
