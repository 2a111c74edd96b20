import { type FailureEvent, readEvent } from '../../records/failure-event.ts';
import { FailureReport } from '../../records/failure-report.ts';
import { copyJson } from '../../records/json.ts';
import { boundedText, shown } from '../../records/text.ts';
import { EVENT_LEVEL, FOREIGN_MESSAGE_MAX_CHARS, REASON_MAX_CHARS } from '../../records/wire.ts';
import { tellPolicyFault } from './policy.ts';

/** Where a redacted event goes: to a caller, in the header or a stream's field, or to spans and log records. */
export type RedactionTarget = 'reply' | 'telemetry';

/**
 * Takes out of an event what its readers may not see. It gets the event in its wire form, frozen, and gives back either
 * the same or a changed copy: `({ ...event, failure_reason: 'hidden' })`. `event_id`, `cause_id`, `boundary` and
 * `failure_kind` must stay, or a chain could not be followed. Where it throws, or gives back anything else, only these,
 * `stage` and `http_status` are told, with the reason `redacted`.
 */
export type Redact = (event: FailureEvent, target: RedactionTarget) => FailureEvent;

/** The reason of an event whose redaction failed. */
const REDACTED_REASON = 'redacted';

const REDACTING = 'redact';

/** `event` as its readers at `target` may see it. Never throws. */
export function redactedEvent(event: FailureEvent, redact: Redact, target: RedactionTarget): FailureEvent {
  try {
    const given: unknown = redact(event, target);
    return given === event ? event : checked(event, given);
  } catch (error) {
    tellPolicyFault(REDACTING, error);
    return withoutTexts(event);
  }
}

/** A report whose events are redacted for a caller. */
export function redactedReport(report: FailureReport, redact: Redact): FailureReport {
  let changed = false;
  const events = new Map<string, FailureEvent>();
  for (const [id, event] of report.events) {
    const told = redactedEvent(event, redact, 'reply');
    changed ||= told !== event;
    events.set(id, told);
  }
  if (!changed) return report;
  return FailureReport.ofEvents({ failureId: report.failureId, events, omitted: report.omitted });
}

function checked(event: FailureEvent, given: unknown): FailureEvent {
  const copy = readEvent(copyJson(given, REDACTING, EVENT_LEVEL), event.event_id);
  for (const member of ['event_id', 'cause_id', 'boundary', 'failure_kind'] as const) {
    if (copy[member] !== event[member]) throw new TypeError(`it changed ${member} to ${shown(copy[member])}`);
  }
  const { failure_reason: reason, foreign_error: foreign } = copy;
  return Object.freeze({
    ...copy,
    failure_reason: boundedText(reason, REASON_MAX_CHARS),
    ...(foreign === undefined
      ? undefined
      : { foreign_error: { ...foreign, message: boundedText(foreign.message, FOREIGN_MESSAGE_MAX_CHARS) } }),
  });
}

function withoutTexts(event: FailureEvent): FailureEvent {
  const { event_id, boundary, failure_kind, stage, http_status, cause_id } = event;
  return Object.freeze({
    event_id,
    boundary,
    failure_kind,
    failure_reason: REDACTED_REASON,
    ...(stage === undefined ? undefined : { stage }),
    ...(http_status === undefined ? undefined : { http_status }),
    ...(cause_id === undefined ? undefined : { cause_id }),
  });
}
