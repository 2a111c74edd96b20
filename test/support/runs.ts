import type { Parameters } from 'fast-check';

const RUNS = Number(process.env.PROPERTY_RUNS ?? 10_000);

/** How often a property is tried: 10,000 times, or `PROPERTY_RUNS` for a soak (1,000,000). */
export function runs<T>(): Parameters<T> {
  return { numRuns: RUNS, endOnFailure: false };
}

/** Time for a property test of this many runs, in milliseconds. */
export const PROPERTY_TIMEOUT_MS = 60_000 + RUNS * 10;
