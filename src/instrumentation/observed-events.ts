import type { Attributes } from '@opentelemetry/api';
import { explicitCauses } from '../failures/cause-chain.ts';
import { type EventFacts, factsOf } from '../failures/event-record.ts';
import type { FailureEvent } from '../records/failure-event.ts';
import type { FailureReport } from '../records/failure-report.ts';
import { boundedText } from '../records/text.ts';
import { FOREIGN_MESSAGE_MAX_CHARS, REASON_MAX_CHARS } from '../records/wire.ts';
import type { FailureOrigin, FailuresObserved } from '../transport/announce.ts';
import { guarded } from '../transport/guard.ts';
import { redactedEvent } from '../transport/reply/redact.ts';
import * as names from './attributes.ts';
import type { Settings } from './settings.ts';
import { stackWithCauses } from './stack.ts';

/** What a signal says of an event. */
export interface ShownEvent {
  readonly attributes: Attributes;
  /** Cut between code points: OpenTelemetry's own length limit would cut surrogate pairs. */
  readonly reason: string;
  /** Whether it is the reply's own failure. */
  readonly selected: boolean;
}

interface RaisedError {
  readonly error: unknown;
  readonly facts: EventFacts;
}

/** The events of one announcement, as telemetry shows them; each signal asks for those that it does not have yet. */
export class ObservedEvents {
  readonly #observed: FailuresObserved;
  readonly #settings: Settings;
  readonly #shown = new Map<string, ShownEvent>();
  #ordered: readonly FailureEvent[] | undefined;
  #errors: ReadonlyMap<string, RaisedError> | undefined;

  constructor(observed: FailuresObserved, settings: Settings) {
    this.#observed = observed;
    this.#settings = settings;
  }

  /** So that each one's cause stands before it. */
  get causesFirst(): readonly FailureEvent[] {
    this.#ordered ??= causesFirst(this.#observed.report);
    return this.#ordered;
  }

  /** The cause of a failure may have come with another server's reply, whatever became of it here. */
  originOf(event: FailureEvent): FailureOrigin {
    return this.#raised(event)?.facts.provenance === 'reply' ? 'forwarded' : this.#observed.origin;
  }

  /** What is shown of `event`, made once. */
  shown(event: FailureEvent): ShownEvent {
    let shown = this.#shown.get(event.event_id);
    if (shown === undefined) {
      shown = this.#show(event);
      this.#shown.set(event.event_id, shown);
    }
    return shown;
  }

  #show(event: FailureEvent): ShownEvent {
    const { redact, stackTraces, attributesFor } = this.#settings;
    const told = redact === undefined ? event : redactedEvent(event, redact, 'telemetry');
    const attributes: Attributes = {};
    if (attributesFor !== undefined) {
      Object.assign(
        attributes,
        guarded('mirror.attributesFor', () => attributesFor(told)),
      );
    }
    const reason = boundedText(told.failure_reason, REASON_MAX_CHARS);
    const { origin, report } = this.#observed;
    const selected = origin === 'raised' && event.event_id === report.failureId;
    addEventAttributes(attributes, told, reason);
    attributes[names.EVENT_ORIGIN] = this.originOf(event);
    attributes[names.EVENT_SELECTED] = selected;
    const raised = stackTraces ? this.#raised(event) : undefined;
    if (raised?.facts.provenance === 'here') attributes[names.EXCEPTION_STACKTRACE] = stackWithCauses(raised.error);
    return { attributes, reason, selected };
  }

  #raised(event: FailureEvent): RaisedError | undefined {
    this.#errors ??= errorsOf(this.#observed.error);
    return this.#errors.get(event.event_id);
  }
}

function causesFirst(report: FailureReport): FailureEvent[] {
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

function addEventAttributes(attributes: Attributes, event: FailureEvent, reason: string): void {
  attributes[names.EVENT_ID] = event.event_id;
  attributes[names.EVENT_BOUNDARY] = event.boundary;
  attributes[names.EVENT_KIND] = event.failure_kind;
  attributes[names.EVENT_REASON] = reason;
  if (event.cause_id !== undefined) attributes[names.EVENT_CAUSE_ID] = event.cause_id;
  if (event.stage !== undefined) attributes[names.EVENT_STAGE] = event.stage;
  if (event.operation !== undefined) attributes[names.EVENT_OPERATION] = boundedText(event.operation, REASON_MAX_CHARS);
  if (event.http_status !== undefined) attributes[names.EVENT_HTTP_STATUS] = event.http_status;
  const foreign = event.foreign_error;
  if (foreign === undefined) return;
  attributes[names.EXCEPTION_TYPE] = foreign.exception_type;
  attributes[names.EXCEPTION_MESSAGE] = boundedText(foreign.message, FOREIGN_MESSAGE_MAX_CHARS);
}
