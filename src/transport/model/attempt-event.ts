import { sdkErrorDetails } from '../../failures/foreign-error.ts';
import { NgFailureEvent } from '../../failures/ng-failure-event.ts';
import type { ModelFailureDetails } from '../../records/failure-event.ts';
import type { HeadersLike } from '../headers-like.ts';
import type { ModelCall } from './call.ts';
import { headerFacts } from './provider-reply.ts';
import { REQUEST_FAILED, statusKind, type TransportEvidence } from './transport-kind.ts';

/** How an attempt failed. */
export interface AttemptEnding {
  readonly kind: string;
  /** Goes on after the call's method and address. */
  readonly reason: string;
  readonly cause?: unknown;
  /** The telling link of the cause. */
  readonly foreign?: unknown;
  /** The provider's error code. */
  readonly code?: string | undefined;
}

/** The attempt got no reply, or not the whole of it. */
export function transportEnding(error: unknown, evidence: TransportEvidence | undefined, what: string): AttemptEnding {
  const { message } = sdkErrorDetails(evidence?.link ?? error);
  // fetch's own error says "fetch failed" and no more.
  return {
    kind: evidence?.kind ?? REQUEST_FAILED,
    reason: `${what}: ${message}`,
    cause: error,
    foreign: evidence?.link,
  };
}

/** The reply had a failing status. */
export function statusEnding(status: number, code: string | undefined, cause: unknown): AttemptEnding {
  const reason = code === undefined ? `answered ${status}` : `answered ${status} (${code})`;
  return { kind: statusKind(status, code), reason, cause, code };
}

/** The client's own clock ended the attempt. */
export function clientTimeoutEnding(error: unknown, elapsedMs: number): AttemptEnding {
  const reason = `was given up after ${Math.round(elapsedMs)} ms: its client’s time limit`;
  return { kind: 'transport_timeout', reason, cause: error };
}

/** It was aborted, by its client's clock or by its caller. */
export function unclearAbortEnding(error: unknown, elapsedMs: number): AttemptEnding {
  const reason = `was given up after ${Math.round(elapsedMs)} ms: its client’s time limit under a second, or its caller`;
  return { kind: 'cancelled', reason, cause: error };
}

/** What is known of the attempt beside how it failed. */
export interface AttemptFacts {
  readonly number: number | undefined;
  /** Set inside a logical call, whose observation names its last attempt. */
  readonly id: string | undefined;
  readonly elapsedMs: number;
  readonly status: number | undefined;
  readonly headers: HeadersLike | undefined;
}

/** The event of a failed attempt. */
export function modelEvent(call: ModelCall, ending: AttemptEnding, facts: AttemptFacts): NgFailureEvent {
  const { kind, reason, cause, foreign, code } = ending;
  const { requestId, retryAfterS } = headerFacts(facts.headers);
  const details: { [Key in keyof ModelFailureDetails]: ModelFailureDetails[Key] | undefined } = {
    model: call.model,
    attempt: facts.number,
    attempt_id: facts.id,
    request_id: requestId,
    provider_code: code,
    retry_after_s: retryAfterS,
    elapsed_ms: Math.round(facts.elapsedMs),
  };
  return new NgFailureEvent({
    boundary: 'model',
    failureKind: kind,
    failureReason: `${call.target} ${reason}`,
    operation: call.operation,
    httpStatus: facts.status,
    foreignError: foreign === undefined ? undefined : sdkErrorDetails(foreign),
    details,
    ...(cause === undefined ? undefined : { cause }),
  });
}
