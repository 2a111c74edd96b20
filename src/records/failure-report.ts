import { type FailureEvent, readEvent } from './failure-event.ts';
import { copyJson, isPlainObject, setOwn } from './json.ts';
import { checkReportText, freezeChecked } from './report-text.ts';
import { sharedSymbol } from './shared-state.ts';
import { explained, faultAt, shown } from './text.ts';

/** A report in its wire form; what is not set is left out. */
export interface FailureReportRecord {
  /** Names the reply’s own failure, an id of `events`. */
  failure_id?: string;
  /** Each event under its id. */
  events?: Record<string, FailureEvent>;
  /** Evidence was lost on the way. */
  omitted?: true;
}

const BRAND = sharedSymbol('report');

function refuse(): never {
  throw new TypeError('A failure report is immutable: make another one with merge() or FailureReport.parse()');
}

const ReadOnlyEvents: object = Object.create(Map.prototype, {
  set: { value: refuse },
  delete: { value: refuse },
  clear: { value: refuse },
});

/** Makes the map's own mutators refuse, so that a report cannot be changed through `events`. */
function readOnly(events: Map<string, FailureEvent>): Map<string, FailureEvent> {
  return Object.freeze(Object.setPrototypeOf(events, ReadOnlyEvents) as Map<string, FailureEvent>);
}

/**
 * What a reply forwards: its own failure (absent on success) and every failure observed on the way to it. Immutable;
 * it keeps nothing of what it was made from. Wire key in a stream: `nemo_gym_failure_report`.
 */
export class FailureReport {
  /** The report that holds nothing; it is neither sent nor saved. */
  static readonly EMPTY: FailureReport = new FailureReport(undefined, readOnly(new Map()), false);

  /** Names this reply's own failure, an id of {@link events}; absent on success. Wire key: `failure_id`. */
  readonly failureId: string | undefined;
  /** Each event under its id. Wire key: `events`. */
  readonly events: ReadonlyMap<string, FailureEvent>;
  /** Whether evidence was lost on the way. Default: false. Wire key: `omitted`. */
  readonly omitted: boolean;

  /** Only the constructor gives it: neither a proxy nor an object made of the prototype has it. */
  readonly #own = true;

  private constructor(failureId: string | undefined, events: Map<string, FailureEvent>, omitted: boolean) {
    this.failureId = failureId;
    this.events = events;
    this.omitted = omitted;
    Object.defineProperty(this, BRAND, { value: true });
    Object.freeze(this);
  }

  /** Whether `value` is a report, of this copy of the package or of another one. */
  static is(value: unknown): value is FailureReport {
    if (typeof value !== 'object' || value === null) return false;
    try {
      return #own in value || (BRAND in value && 'toJSON' in value && typeof value.toJSON === 'function');
    } catch {
      // A proxy that throws: whatever it is, it is no report.
      return false;
    }
  }

  /**
   * A report from its wire form. Unknown kinds are kept under `unregistered:`, unknown members of the report itself
   * are dropped, those of an event stay.
   *
   * @throws TypeError that names the member and the value, when `value` is not a valid report
   */
  static parse(value: unknown): FailureReport {
    if (typeof value === 'object' && value !== null && #own in value) return value;
    try {
      const given = FailureReport.is(value) ? value.toJSON() : value;
      return FailureReport.#read(copyJson(given, 'report'));
    } catch (error) {
      throw invalidReport(error);
    }
  }

  /**
   * A report from its JSON text, such as a header's value.
   *
   * @throws TypeError when the text is not JSON or not a valid report
   */
  static parseText(text: string): FailureReport {
    try {
      const value: unknown = JSON.parse(text);
      return FailureReport.#read(checkReportText(text) ? freezeChecked(value) : copyJson(value, 'report'));
    } catch (error) {
      throw invalidReport(error);
    }
  }

  /**
   * A report of events that are valid already: each under its own id, causes inside, none in a cycle.
   * @internal
   */
  static ofEvents(parts: {
    failureId?: string | undefined;
    events?: Map<string, FailureEvent>;
    omitted?: boolean;
  }): FailureReport {
    const events = parts.events ?? new Map<string, FailureEvent>();
    if (parts.failureId === undefined && events.size === 0 && parts.omitted !== true) return FailureReport.EMPTY;
    return new FailureReport(parts.failureId, readOnly(events), parts.omitted === true);
  }

  /** `value` is frozen JSON data that nobody else holds. */
  static #read(value: unknown): FailureReport {
    if (!isPlainObject(value)) throw new TypeError(`expected an object, got ${shown(value)}`);
    const { failure_id: failureId = null, events: given = null, omitted = null } = value;
    if (failureId !== null && typeof failureId !== 'string') {
      throw new TypeError(`failure_id: expected text, got ${shown(failureId)}`);
    }
    if (omitted !== null && typeof omitted !== 'boolean') {
      throw new TypeError(`omitted: expected true or false, got ${shown(omitted)}`);
    }
    const events = readEvents(given);
    if (failureId !== null && !events.has(failureId)) {
      throw new TypeError(`failure_id: ${shown(failureId)} is not among the events`);
    }
    return FailureReport.ofEvents({ failureId: failureId ?? undefined, events, omitted: omitted === true });
  }

  /** Whether nothing is set. */
  get isEmpty(): boolean {
    return this.failureId === undefined && this.events.size === 0 && !this.omitted;
  }

  /**
   * This report and `others`: events by id, the first one seen stays, the first `failureId` stays, omitted sticks. One
   * that is `undefined`, as `FailureHeader.decode` gives for a reply without a report, adds nothing.
   *
   * @throws TypeError that names the value, when another one is no report
   */
  merge(...others: readonly (FailureReport | undefined)[]): FailureReport {
    let { failureId, omitted } = this;
    let events: Map<string, FailureEvent> | undefined;
    for (const given of others) {
      if (given === undefined) continue;
      const other = FailureReport.parse(given);
      failureId ??= other.failureId;
      omitted ||= other.omitted;
      for (const [id, event] of other.events) {
        if ((events ?? this.events).has(id)) continue;
        events ??= new Map(this.events);
        events.set(id, event);
      }
    }
    if (events === undefined && failureId === this.failureId && omitted === this.omitted) return this;
    return FailureReport.ofEvents({ failureId, events: events ?? new Map(this.events), omitted });
  }

  /** The same events without a `failureId`: what a caller observed is not yet its own failure. */
  asObservations(): FailureReport {
    if (this.failureId === undefined) return this;
    return FailureReport.ofEvents({ events: new Map(this.events), omitted: this.omitted });
  }

  /** The wire form, a new object: `failure_id`, `events`, `omitted`, only those that are set. */
  toJSON(): FailureReportRecord {
    const record: FailureReportRecord = {};
    if (this.failureId !== undefined) record.failure_id = this.failureId;
    if (this.events.size > 0) {
      const events: Record<string, FailureEvent> = {};
      for (const [id, event] of this.events) setOwn(events, id, event);
      record.events = events;
    }
    if (this.omitted) record.omitted = true;
    return record;
  }
}

function invalidReport(error: unknown): TypeError {
  return new TypeError(`Invalid failure report: ${explained(error)}`, { cause: error });
}

function readEvents(value: unknown): Map<string, FailureEvent> {
  const events = new Map<string, FailureEvent>();
  if (value === null) return events;
  if (!isPlainObject(value)) throw new TypeError(`events: expected an object, got ${shown(value)}`);
  let linked = false;
  for (const id of Object.keys(value)) {
    const event = readEvent(value[id], id);
    events.set(id, event);
    linked ||= event.cause_id !== undefined || event.event_id !== id;
  }
  if (linked) validateFailureEventMap(events);
  return events;
}

/**
 * Checks that each event stands under its own id, that every `cause_id` is in the map, and that causes form no cycle.
 * Linear in the number of events. Gives back its argument.
 *
 * @throws TypeError that names the event and what is wrong with it
 */
export function validateFailureEventMap<
  M extends ReadonlyMap<string, FailureEvent> | Readonly<Record<string, FailureEvent>>,
>(events: M): M {
  const map: ReadonlyMap<string, FailureEvent> = events instanceof Map ? events : new Map(Object.entries(events));
  for (const [id, event] of map) {
    if (!isPlainObject(event)) throw faultAt(`events.${id}`, `expected an object, got ${shown(event)}`);
    if (event.event_id !== id) {
      throw faultAt(`events.${id}`, `the key differs from event_id ${shown(event.event_id)}`);
    }
    if (event.cause_id !== undefined && !map.has(event.cause_id)) {
      throw faultAt(`events.${id}`, `cause_id ${shown(event.cause_id)} is not among the events`);
    }
  }
  // Each event is walked once: a walk that meets an earlier one ends there, one that meets itself is a cycle.
  const walkOf = new Map<string, string>();
  for (const start of map.keys()) {
    let at: string | undefined = start;
    while (at !== undefined && !walkOf.has(at)) {
      walkOf.set(at, start);
      at = map.get(at)?.cause_id;
      if (at !== undefined && walkOf.get(at) === start) {
        throw faultAt(`events.${at}`, 'its causes lead back to itself');
      }
    }
  }
  return events;
}
