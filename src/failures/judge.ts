import type { FailureStage } from '../records/failure-event.ts';
import type { JsonObject } from '../records/json.ts';
import { shown } from '../records/text.ts';
import { explicitCauses } from './cause-chain.ts';
import type { ForeignErrorOption } from './foreign-error.ts';
import { safeGet, sdkErrorDetails } from './foreign-error.ts';
import { NgFailureEvent } from './ng-failure-event.ts';

/** The kinds of a judge without a verdict: the call failed, or its answer could not be read. */
export type JudgeFailureKind = 'judge_failed' | 'judge_unparseable';

const JUDGE_KINDS: ReadonlySet<string> = new Set<JudgeFailureKind>(['judge_failed', 'judge_unparseable']);
const PARSER_ERROR = 'JudgeError';
/** Classes above an error's own that are looked at; a prototype chain can be endless. */
const MAX_CLASSES = 16;

/** What a judge's failure is made of. */
export interface JudgeFailureOptions {
  /** What ended the judge call: the provider's error or event. It keeps its own kind. */
  readonly cause?: unknown;
  /** Default: `judge_failed`. */
  readonly failureKind?: JudgeFailureKind | undefined;
  /** Text for people. Default: one that names no detail of the cause. */
  readonly failureReason?: string | undefined;
  /** Default: `verification`. */
  readonly stage?: FailureStage | undefined;
  /** Default: `verify`. */
  readonly operation?: string | undefined;
  /** HTTP status of the judge call itself, 100–599. */
  readonly httpStatus?: number | undefined;
  /** Chosen facts of a third-party error; default: those of the first such error among the causes. Wire key: `foreign_error`. */
  readonly foreignError?: ForeignErrorOption | undefined;
  /** Observed facts of the judge call. Wire key: `details`. */
  readonly details?: JsonObject | undefined;
}

/**
 * The resources server's event of a judge call that gave no verdict, above its cause.
 *
 * @throws TypeError that names the value, when one is not what an event may hold
 */
export function judgeFailure(options: JudgeFailureOptions = {}): NgFailureEvent {
  const { cause, failureKind, failureReason, stage, operation, httpStatus, foreignError, details } = options;
  if (failureKind != null && !JUDGE_KINDS.has(failureKind)) {
    throw new TypeError(
      `judgeFailure: failureKind is ${shown(failureKind)}: use one of ${[...JUDGE_KINDS].join(', ')}`,
    );
  }
  return new NgFailureEvent({
    boundary: 'resources_server',
    failureKind: failureKind ?? 'judge_failed',
    failureReason: failureReason ?? DEFAULT_REASON,
    stage: stage ?? 'verification',
    operation: operation ?? 'verify',
    httpStatus,
    foreignError,
    details,
    ...(cause === undefined || cause === null ? undefined : { cause }),
  });
}

const DEFAULT_REASON = 'The judge call failed';

/**
 * The judge's failure that `error` is: an event of a judge kind in its explicit chain, or, for an error of the class
 * `JudgeError` above every event, an event made of it. `undefined` for any other error.
 */
export function judgeFailureIn(error: unknown): JudgeFailureFound | undefined {
  let parserError: unknown;
  let aboveEvents = true;
  for (const link of explicitCauses(error)) {
    if (NgFailureEvent.is(link)) {
      aboveEvents = false;
      if (JUDGE_KINDS.has(link.failureKind)) return { event: link, observed: error };
    } else if (aboveEvents && isParserError(link)) {
      parserError ??= link;
    }
  }
  if (parserError === undefined) return undefined;
  const { message } = sdkErrorDetails(parserError);
  const event = judgeFailure({ cause: parserError, failureReason: message === '' ? DEFAULT_REASON : message });
  return { event, observed: event };
}

/** A judge's failure, and the error whose chain tells it whole. */
export interface JudgeFailureFound {
  readonly event: NgFailureEvent;
  readonly observed: unknown;
}

/** By name, as a parser from another package or another copy of it has its own class. */
function isParserError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (safeGet(error, 'name') === PARSER_ERROR) return true;
  let level: unknown = error;
  for (let classes = 0; classes < MAX_CLASSES && typeof level === 'object' && level !== null; classes += 1) {
    if (safeGet(safeGet(level, 'constructor'), 'name') === PARSER_ERROR) return true;
    level = prototypeOf(level);
  }
  return false;
}

function prototypeOf(value: object): unknown {
  try {
    return Object.getPrototypeOf(value);
  } catch {
    // A proxy that refuses: it is no parser's error.
    return null;
  }
}
