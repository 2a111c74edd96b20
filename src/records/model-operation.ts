import { z } from 'zod';
import { firstIssue } from './failure-event.ts';
import { isPlainObject } from './json.ts';
import { shown } from './text.ts';
import { MODEL_OUTCOMES } from './wire.ts';

/** What one logical model call (a retry loop) came to. It stays in the request's log and goes on the span. */
export interface ModelOperationObservation {
  /** Names the operation; the log keeps one observation for each. Not empty. */
  readonly operation_id: string;
  /** How it ended, after all its retries. */
  readonly outcome: (typeof MODEL_OUTCOMES)[number];
  /** Names the last HTTP attempt. */
  readonly final_attempt_id?: string;
  /** Event id of the failure that ended it. */
  readonly failure_id?: string;
  /** HTTP attempts, an integer ≥ 0. */
  readonly http_attempts?: number;
  /** Attempts that failed in transport, an integer ≥ 0. */
  readonly transport_failures?: number;
  /** Seconds waited between attempts. */
  readonly retry_wait_s?: number;
  /** Milliseconds from the first attempt to the end. */
  readonly request_elapsed_ms?: number;
}

const text = z.string().optional();
const count = z.int().min(0).optional();
const duration = z.number().min(0).optional();

const modelOperationSchema = z.strictObject({
  operation_id: z.string().min(1),
  outcome: z.enum(MODEL_OUTCOMES),
  final_attempt_id: text,
  failure_id: text,
  http_attempts: count,
  transport_failures: count,
  retry_wait_s: duration,
  request_elapsed_ms: duration,
});

/**
 * An observation with only the members that are set.
 *
 * @throws TypeError that names the member and the value
 */
export function readModelOperation(value: unknown): ModelOperationObservation {
  if (!isPlainObject(value)) throw new TypeError(`Invalid model operation: expected an object, got ${shown(value)}`);
  const set = Object.fromEntries(Object.entries(value).filter(([, member]) => member != null));
  if (isModelOperation(set)) return Object.freeze(set);
  throw new TypeError('Invalid model operation');
}

function isModelOperation(
  value: Record<string, unknown>,
): value is Record<string, unknown> & ModelOperationObservation {
  const result = modelOperationSchema.safeParse(value);
  if (!result.success) {
    throw new TypeError(`Invalid model operation: ${firstIssue(result.error, value, '')}`, { cause: result.error });
  }
  return true;
}
