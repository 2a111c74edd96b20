import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';
import type { FailureEvent } from '../../src/records/failure-event.ts';
import { FailureReport } from '../../src/records/failure-report.ts';

/** A failure with an id that a test can name. */
export function failure(id: string, more: Partial<FailureEvent> = {}, cause?: unknown): NgFailureEvent {
  return NgFailureEvent.fromRecord(recordOf(id, more), cause);
}

export function recordOf(id: string, more: Partial<FailureEvent> = {}): FailureEvent {
  return {
    event_id: id,
    boundary: 'model',
    failure_kind: 'transport_timeout',
    failure_reason: `reason of ${id}`,
    ...more,
  };
}

/** A report of unrelated events, without a failure of its own. */
export function reportOf(...ids: string[]): FailureReport {
  return FailureReport.parse({ events: Object.fromEntries(ids.map((id) => [id, recordOf(id)])) });
}
