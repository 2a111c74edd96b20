import type { FailureEvent } from '../../src/records/failure-event.ts';
import { FailureReport, type FailureReportRecord } from '../../src/records/failure-report.ts';
import { FailureReportRow } from '../../src/transport/row.ts';

/** A saved row as a Gym user has it, its ids from numbers so that a run can be repeated. */
export function row(
  index: number,
  report: FailureReportRecord = {},
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    responses_create_params: { input: [{ role: 'user', content: `Task ${index >> 2}: add the numbers.` }] },
    response: { id: `resp_${index}`, output: [], usage: { input_tokens: 200 + (index % 50), output_tokens: 40 } },
    reward: index % 3 === 0 ? 0 : 1,
    _ng_task_index: index >> 2,
    _ng_rollout_index: index & 3,
    _ng_rollout_id: rolloutId(index),
    agent_ref: { type: 'responses_api_agents', name: 'simple_agent' },
    ...more,
    ...FailureReportRow.fields(FailureReport.parse(report)),
  };
}

/** The id of rollout number `index`. */
export function rolloutId(index: number): string {
  return `rollout-${index.toString(16).padStart(8, '0')}`;
}

/** An event id, 32 hex digits. */
export function eventId(rollout: number, event: number): string {
  return `${rollout.toString(16).padStart(24, '0')}${event.toString(16).padStart(8, '0')}`;
}

/** The id of the trace of rollout number `index`. */
export function traceId(index: number): string {
  return (index + 1).toString(16).padStart(32, '0');
}

/** A model attempt that failed. */
export function attempt(id: string, more: Partial<FailureEvent> = {}): FailureEvent {
  return {
    event_id: id,
    boundary: 'model',
    failure_kind: 'transport_timeout',
    failure_reason: 'upstream timed out',
    operation: 'responses',
    http_status: 504,
    foreign_error: { exception_type: 'APIConnectionTimeoutError', message: 'Request timed out.' },
    ...more,
  };
}

/** An agent that failed because of `causeId`. */
export function agentFailure(id: string, causeId?: string): FailureEvent {
  return {
    event_id: id,
    boundary: 'agent',
    failure_kind: 'agent_run_error',
    failure_reason: 'the agent could not finish its turn',
    stage: 'agent',
    operation: 'run',
    ...(causeId === undefined ? {} : { cause_id: causeId }),
  };
}

/** A report's wire form of `events`. */
export function reportOf(events: readonly FailureEvent[], more: FailureReportRecord = {}): FailureReportRecord {
  return { events: Object.fromEntries(events.map((event) => [event.event_id, event])), ...more };
}

/** The objects as JSON lines. */
export function jsonl(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
