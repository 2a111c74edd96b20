import { types } from 'node:util';

/** Whether `value` is an error, also one of another realm (a vm context, a test runner's), which no class here knows. */
export function isError(value: unknown): value is Error {
  // A class that only has Error's prototype, and a proxy around an error, are known by the chain.
  return types.isNativeError(value) || value instanceof Error;
}
