import type { FetchFunction } from 'opentelemetry-instrumentation-nemo-gym';

/** How long a call may take before its client gives it up, in milliseconds: only where nothing else ends it. */
export function timeLimit(baseURL: string): number {
  return baseURL.includes('/silent/') ? 400 : 60_000;
}

export interface Call {
  readonly baseURL: string;
  /** What the client fetches with, where it can be told. */
  readonly fetch: FetchFunction;
  /** Takes what the call gives; what came before it fails counts too. */
  readonly take: (part: unknown) => void;
}

/** A client that people use, set up with one retry. */
export interface ModelClient {
  whole(call: Call): Promise<void>;
  streamed(call: Call): Promise<void>;
}

export const MESSAGES = [{ role: 'user' as const, content: 'hi' }];
