import type { FailureBoundary } from '../records/failure-event.ts';
import { sharedSymbol } from '../records/shared-state.ts';
import { shown } from '../records/text.ts';
import { NgFailureEvent, type NgFailureEventOptions } from './ng-failure-event.ts';

/** The same in every copy of the package: one copy may make the failure and another one answer the request. */
const EPISODE = sharedSymbol('episode');

/** What the environment decided of a failed episode. It stays in this process: no record or report has it. */
export interface EpisodeDecision {
  /** Whether the episode is over; if not, it may be tried again. */
  readonly terminal: boolean;
  /** What the episode gave before it failed, e.g. its trajectory so far. */
  readonly partial?: unknown;
}

/** What a handled episode failure is made of: an event's members, and the environment's own decision. */
export interface HandledEpisodeFailureOptions extends Omit<NgFailureEventOptions, 'boundary'>, EpisodeDecision {
  /** Default: `environment`. */
  readonly boundary?: FailureBoundary | undefined;
}

/** An event with the environment's decision beside it. */
export type HandledEpisodeFailure = NgFailureEvent & EpisodeDecision;

/**
 * The failure of an episode that the environment handles: it answers with HTTP 200 and an `EpisodeFailure`, see
 * `episodeFailureResponse`. Kind, reason and stage are the environment's own, whatever the cause has.
 *
 * @throws TypeError that names the value, when `terminal` is not a boolean or a member is not what an event may hold
 */
export function handledEpisodeFailure(options: HandledEpisodeFailureOptions): HandledEpisodeFailure {
  const { terminal, partial, boundary, ...event } = options;
  if (typeof terminal !== 'boolean') {
    throw new TypeError(`handledEpisodeFailure: terminal is ${shown(terminal)}: say true or false`);
  }
  const failure = new NgFailureEvent({ ...event, boundary: boundary ?? 'environment' });
  return withDecision(failure, partial === undefined ? { terminal } : { terminal, partial });
}

/** Whether `value` itself was made by {@link handledEpisodeFailure}, in any copy of the package. Never throws. */
export function isHandledEpisodeFailure(value: unknown): value is HandledEpisodeFailure {
  return episodeDecisionOf(value) !== undefined;
}

/**
 * The decision of a handled episode failure; `undefined` for anything else. Never throws.
 * @internal
 */
export function episodeDecisionOf(value: unknown): EpisodeDecision | undefined {
  if (!NgFailureEvent.is(value)) return undefined;
  try {
    const decision: unknown = Reflect.get(value, EPISODE);
    return isDecision(decision) ? decision : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Gives an event the environment's decision. It is not enumerable, so that no log prints a whole trajectory.
 * @internal
 */
export function withDecision(event: NgFailureEvent, decision: EpisodeDecision): HandledEpisodeFailure {
  const { terminal, partial } = decision;
  Object.defineProperties(event, {
    [EPISODE]: { value: Object.freeze(decision) },
    terminal: { value: terminal },
    ...('partial' in decision ? { partial: { value: partial } } : undefined),
  });
  // The compiler does not see what defineProperties adds.
  return event as HandledEpisodeFailure;
}

function isDecision(value: unknown): value is EpisodeDecision {
  return typeof value === 'object' && value !== null && 'terminal' in value && typeof value.terminal === 'boolean';
}
