import { defineConfig } from 'vitest/config';

// Run by scripts/e2e.mjs, which makes Jaeger and the Collector ready.
export default defineConfig({
  test: {
    name: 'e2e',
    include: ['test/e2e/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // One at a time: some measure what the machine holds, and all start a fleet of servers.
    fileParallelism: false,
  },
});
