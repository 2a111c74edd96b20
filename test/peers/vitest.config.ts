import { defineConfig } from 'vitest/config';

// Run by scripts/peers-python.mjs, which makes the Python environments ready.
export default defineConfig({
  test: {
    name: 'peers',
    include: ['test/peers/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
