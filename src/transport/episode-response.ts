import { type HandledEpisodeFailure, isHandledEpisodeFailure } from '../failures/episode.ts';
import { type EpisodeFailure, readEpisodeFailure } from '../records/episode-failure.ts';
import type { FailureReportRecord } from '../records/failure-report.ts';
import { isPlainObject } from '../records/json.ts';
import { shown } from '../records/text.ts';
import { EPISODE_FAILURE, EPISODE_FAILURE_REPORT } from '../records/wire.ts';
import { observeFailure, reportForCurrentRequest } from './observe.ts';

/** The two members of a failed episode's response that tell of the failure. */
export interface EpisodeFailureMembers {
  /** The envelope: four members and no others. */
  readonly [EPISODE_FAILURE]: EpisodeFailure;
  /** The failure's own chain, and everything that was observed while the request was served. */
  readonly [EPISODE_FAILURE_REPORT]: FailureReportRecord;
}

/** A failed episode's response: the two members, and the evidence beside them. */
export type EpisodeFailureResponse = Readonly<Record<string, unknown>> & EpisodeFailureMembers;

/**
 * The HTTP 200 response of a handled episode failure: `failure`, `failure_report` beside it, and beside both the
 * evidence: the failure's `partial`, when that is an object, and `evidence` over it. Call it after cleanup, because it
 * tells what was observed until then. The failure is observed for the request, so that its traces show it under the
 * same ids.
 *
 * @param failure - made by `handledEpisodeFailure`
 * @param evidence - further members of the response: the ids of the episode and the task, its trajectory
 * @throws TypeError when `failure` is not a handled episode failure
 */
export function episodeFailureResponse(failure: HandledEpisodeFailure, evidence?: object): EpisodeFailureResponse {
  if (!isHandledEpisodeFailure(failure)) {
    throw new TypeError(`Not a handled episode failure: ${shown(failure)}; make it with handledEpisodeFailure()`);
  }
  const report = reportForCurrentRequest(failure);
  // One that failRequest named is told as the reply's own already.
  if (reportForCurrentRequest().failureId !== failure.eventId) observeFailure(failure);
  const { failureReason, terminal, failureKind, stage } = failure;
  const members: EpisodeFailureMembers = {
    [EPISODE_FAILURE]: readEpisodeFailure({
      failure_reason: failureReason,
      terminal,
      failure_kind: failureKind,
      stage,
    }),
    [EPISODE_FAILURE_REPORT]: report.toJSON(),
  };
  return { ...(isPlainObject(failure.partial) ? failure.partial : undefined), ...evidence, ...members };
}
