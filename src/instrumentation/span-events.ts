import type { Attributes, Span } from '@opentelemetry/api';
import { explicitCauses } from '../failures/cause-chain.ts';
import { type EventFacts, factsOf } from '../failures/event-record.ts';
import type { FailureEvent } from '../records/failure-event.ts';
import type { FailureReport } from '../records/failure-report.ts';
import { sharedState } from '../records/shared-state.ts';
import { boundedText } from '../records/text.ts';
import { FOREIGN_MESSAGE_MAX_CHARS, REASON_MAX_CHARS } from '../records/wire.ts';
import type { FailureOrigin, FailuresObserved } from '../transport/announce.ts';
import * as names from './attributes.ts';
import { stackWithCauses } from './stack.ts';

/** A span keeps 128 events and drops the oldest, also other people's: half of them is our share. */
const MAX_EVENTS_PER_SPAN = 64;

/** The ids that each span shows already, for all copies of the package. */
const shown = sharedState('mirrored-events', () => new WeakMap<Span, Set<string>>());

/** Adds a span event for each failure event that `span` does not show yet, causes before what they caused. */
export function addFailureEvents(span: Span, observed: FailuresObserved, options: { stackTraces: boolean }): void {
  const ids = idsOn(span);
  const room = MAX_EVENTS_PER_SPAN - ids.size;
  const fresh = causesFirst(observed.report).filter((event) => !ids.has(event.event_id));
  if (fresh.length === 0 || room <= 0) return;
  const errors = errorsOf(observed.error);
  // What does not fit is the oldest cause, not the failure itself.
  for (const event of fresh.slice(-room)) {
    ids.add(event.event_id);
    const raised = errors.get(event.event_id);
    const attributes = attributesOf(event);
    attributes[names.EVENT_ORIGIN] = originOf(observed.origin, raised);
    attributes[names.EVENT_SELECTED] = observed.origin === 'raised' && event.event_id === observed.report.failureId;
    if (options.stackTraces && raised?.facts.provenance === 'here') {
      attributes[names.EXCEPTION_STACKTRACE] = stackWithCauses(raised.error);
    }
    span.addEvent(names.FAILURE_EVENT_NAME, attributes);
  }
}

function idsOn(span: Span): Set<string> {
  let ids = shown.get(span);
  if (ids === undefined) {
    ids = new Set();
    shown.set(span, ids);
  }
  return ids;
}

/** A report's events so that each one's cause stands before it. */
export function causesFirst(report: FailureReport): FailureEvent[] {
  const placed = new Set<string>();
  const ordered: FailureEvent[] = [];
  for (const start of report.events.values()) {
    const chain: FailureEvent[] = [];
    let event: FailureEvent | undefined = start;
    while (event !== undefined && !placed.has(event.event_id)) {
      placed.add(event.event_id);
      chain.push(event);
      event = event.cause_id === undefined ? undefined : report.events.get(event.cause_id);
    }
    ordered.push(...chain.reverse());
  }
  return ordered;
}

interface RaisedError {
  readonly error: unknown;
  readonly facts: EventFacts;
}

/** The errors of this process behind a report's events. */
function errorsOf(error: unknown): ReadonlyMap<string, RaisedError> {
  const errors = new Map<string, RaisedError>();
  if (error === undefined) return errors;
  for (const link of explicitCauses(error)) {
    const facts = factsOf(link);
    if (facts !== undefined && !errors.has(facts.record.event_id)) {
      errors.set(facts.record.event_id, { error: link, facts });
    }
  }
  return errors;
}

/** The cause of a failure may have come with another server's reply, whatever became of it here. */
function originOf(origin: FailureOrigin, raised: RaisedError | undefined): FailureOrigin {
  return raised?.facts.provenance === 'reply' ? 'forwarded' : origin;
}

/** Cut between code points: OpenTelemetry's own length limit would cut surrogate pairs. */
function attributesOf(event: FailureEvent): Attributes {
  const attributes: Attributes = {
    [names.EVENT_ID]: event.event_id,
    [names.EVENT_BOUNDARY]: event.boundary,
    [names.EVENT_KIND]: event.failure_kind,
    [names.EVENT_REASON]: boundedText(event.failure_reason, REASON_MAX_CHARS),
  };
  if (event.cause_id !== undefined) attributes[names.EVENT_CAUSE_ID] = event.cause_id;
  if (event.stage !== undefined) attributes[names.EVENT_STAGE] = event.stage;
  if (event.operation !== undefined) attributes[names.EVENT_OPERATION] = boundedText(event.operation, REASON_MAX_CHARS);
  if (event.http_status !== undefined) attributes[names.EVENT_HTTP_STATUS] = event.http_status;
  const foreign = event.foreign_error;
  if (foreign !== undefined) {
    attributes[names.EXCEPTION_TYPE] = foreign.exception_type;
    attributes[names.EXCEPTION_MESSAGE] = boundedText(foreign.message, FOREIGN_MESSAGE_MAX_CHARS);
  }
  return attributes;
}
