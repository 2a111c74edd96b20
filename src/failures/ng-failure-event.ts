import {
  type FailureBoundary,
  type FailureEvent,
  type FailureStage,
  isHttpStatus,
  readEvent,
  type SdkErrorDetails,
} from '../records/failure-event.ts';
import { copyJson, isPlainObject, type JsonObject } from '../records/json.ts';
import { type FailureKind, isKnownKind, unknownKindError } from '../records/kinds.ts';
import { boundedText, explained, shown } from '../records/text.ts';
import {
  BOUNDARIES,
  EVENT_LEVEL,
  FOREIGN_MESSAGE_MAX_CHARS,
  HTTP_STATUS_MAX,
  HTTP_STATUS_MIN,
  REASON_MAX_CHARS,
  STAGES,
} from '../records/wire.ts';
import { failureReportFor } from './cause-chain.ts';
import { observedFacts } from './details.ts';
import { factsOf, makeFacts, type Provenance, RECORD } from './event-record.ts';
import type { ForeignErrorOption } from './foreign-error.ts';

/** What an {@link NgFailureEvent} is made of. */
export interface NgFailureEventOptions {
  /** Who observed the failure. */
  readonly boundary: FailureBoundary;
  /** Registered, or namespaced `<server>:<kind>`. */
  readonly failureKind: FailureKind;
  /** Text for people; over 2,000 code points it is cut and ends in `...[truncated]`. */
  readonly failureReason: string;
  /** In which part of an episode it was observed: `admission`, `seed`, `agent`, `verification` or `cleanup`. */
  readonly stage?: FailureStage | undefined;
  /** What the boundary was doing, e.g. `responses`. */
  readonly operation?: string | undefined;
  /** HTTP status of this operation only, 100–599; never that of a cause. */
  readonly httpStatus?: number | undefined;
  /** Chosen facts of a third-party error; default: those of the first such error among the causes. */
  readonly foreignError?: ForeignErrorOption | undefined;
  /** Observed facts; what JSON cannot say is written as text or left out. */
  readonly details?: object | undefined;
  /** The error that explicitly caused this one. */
  readonly cause?: unknown;
}

/** What a caller received from the server whose failure was rebuilt; see `HttpReplyError`. */
export interface ReplyFacts extends Error {
  /** HTTP status of this hop's reply. */
  readonly status: number;
  /** Its body as text. */
  readonly body: string;
}

/**
 * A failure that a boundary observed: the error that is raised and the record that travels, in one object. Its causes
 * are its explicit `cause`, and theirs.
 */
export class NgFailureEvent extends Error {
  /** Always `NgFailureEvent`. */
  declare readonly name: 'NgFailureEvent';
  /** Names the event in reports, rows and traces: 32 lower-case hex digits. Wire key: `event_id`. */
  readonly eventId: string;
  /** Who observed the failure. Wire key: `boundary`. */
  readonly boundary: FailureBoundary;
  /** Wire key: `failure_kind`. */
  readonly failureKind: string;
  /** Also the error's `message`. Wire key: `failure_reason`. */
  readonly failureReason: string;
  /** In which part of an episode it was observed; absent when that is not known. Wire key: `stage`. */
  declare readonly stage?: FailureStage;
  /** What the boundary was doing, e.g. `responses`, `verify`, `run`. Wire key: `operation`. */
  declare readonly operation?: string;
  /** Wire key: `http_status`. */
  declare readonly httpStatus?: number;
  /** In the wire's names. Wire key: `foreign_error`. */
  declare readonly foreignError?: SdkErrorDetails;
  /** Observed facts as JSON data, frozen. Wire key: `details`. */
  declare readonly details?: NonNullable<FailureEvent['details']>;
  /** What this hop received when the failure was rebuilt from a reply; it is in no report. */
  declare httpError?: ReplyFacts;

  /**
   * @throws TypeError that names the value and the remedy, when a boundary, kind, stage or status is not one that an
   * event may have
   */
  constructor(options: NgFailureEventOptions) {
    super(checkedReason(options), options?.cause === undefined ? undefined : { cause: options.cause });
    const record = restoring?.record ?? recordFrom(options);
    const facts = makeFacts(record, restoring?.provenance ?? 'here');
    Object.defineProperty(this, RECORD, { value: facts });
    this.eventId = record.event_id;
    this.boundary = record.boundary;
    this.failureKind = record.failure_kind;
    this.failureReason = record.failure_reason;
    if (record.stage !== undefined) this.stage = record.stage;
    if (record.operation !== undefined) this.operation = record.operation;
    if (record.http_status !== undefined) this.httpStatus = record.http_status;
    if (record.foreign_error !== undefined) this.foreignError = record.foreign_error;
    if (record.details !== undefined) this.details = record.details;
  }

  /** Whether `value` is such an event, made by this copy of the package or by another one. */
  static is(value: unknown): value is NgFailureEvent {
    return factsOf(value) !== undefined;
  }

  /**
   * The error of a record, with `cause` as its explicit cause. Unknown members of the record stay. A `cause_id` that
   * resolves to no cause is left out of reports.
   *
   * @throws TypeError that names the member and the value, when the record is not a valid event
   */
  static fromRecord(record: FailureEvent, cause?: unknown): NgFailureEvent {
    return restore(record, cause, 'restored');
  }

  /** The event in its wire form, with its cause's id and the foreign error that its causes give it. */
  toRecord(): FailureEvent {
    const written = failureReportFor(this).events.get(this.eventId) ?? readFacts(this);
    const unresolved = readFacts(this).cause_id;
    if (written.cause_id !== undefined || unresolved === undefined) return written;
    return Object.freeze({ ...written, cause_id: unresolved });
  }

  /** The same as {@link toRecord}: `JSON.stringify` of a plain error says nothing. */
  toJSON(): FailureEvent {
    return this.toRecord();
  }
}

Object.defineProperty(NgFailureEvent.prototype, 'name', {
  value: 'NgFailureEvent',
  configurable: true,
  writable: true,
});

/** What the constructor takes over instead of making a record; set only for the length of one call. */
let restoring: { readonly record: FailureEvent; readonly provenance: Provenance } | undefined;

/** Makes an event of a record; `provenance` says where it came from. */
export function restore(value: unknown, cause: unknown, provenance: Provenance): NgFailureEvent {
  const record = readRecord(value);
  restoring = { record, provenance };
  try {
    const options = {
      boundary: record.boundary,
      failureKind: record.failure_kind,
      failureReason: record.failure_reason,
    };
    return new NgFailureEvent(cause === undefined ? options : { ...options, cause });
  } finally {
    restoring = undefined;
  }
}

function readRecord(value: unknown): FailureEvent {
  try {
    const copy = copyJson(value, 'record', EVENT_LEVEL);
    const id = isPlainObject(copy) ? copy.event_id : undefined;
    if (typeof id !== 'string' || id === '') throw new TypeError(`event_id must be non-empty text, got ${shown(id)}`);
    return readEvent(copy, id);
  } catch (error) {
    throw new TypeError(`Cannot make an NgFailureEvent: ${explained(error)}`, { cause: error });
  }
}

function readFacts(error: NgFailureEvent): FailureEvent {
  const facts = factsOf(error);
  if (facts === undefined) throw new TypeError('Not an NgFailureEvent: its record is gone');
  return facts.record;
}

function invalid(name: string, value: unknown, remedy: string): TypeError {
  return new TypeError(`NgFailureEvent: ${name} is ${shown(value)}: ${remedy}`);
}

/** What to tell somebody who gave an option under its name on the wire; `undefined` for anybody else. */
function inWireNames(options: object, name: string): string | undefined {
  const wireName = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return wireName in options ? `there is ${wireName}; did you mean ${name}?` : undefined;
}

function checkedReason(options: NgFailureEventOptions): string {
  if (restoring !== undefined) return restoring.record.failure_reason;
  if (typeof options !== 'object' || options === null) {
    throw invalid('its argument', options, 'give { boundary, failureKind, failureReason, … }');
  }
  if (typeof options.failureReason !== 'string') {
    throw invalid('failureReason', options.failureReason, inWireNames(options, 'failureReason') ?? 'give a text');
  }
  return boundedText(options.failureReason, REASON_MAX_CHARS);
}

function recordFrom(options: NgFailureEventOptions): FailureEvent {
  const { boundary, failureKind, stage, operation, httpStatus, foreignError, details } = options;
  if (!BOUNDARIES.includes(boundary)) throw invalid('boundary', boundary, `use one of ${BOUNDARIES.join(', ')}`);
  if (!isKnownKind(failureKind)) {
    const slip = inWireNames(options, 'failureKind');
    throw slip === undefined ? unknownKindError(failureKind) : invalid('failureKind', failureKind, slip);
  }
  if (stage != null && !STAGES.includes(stage)) throw invalid('stage', stage, `use one of ${STAGES.join(', ')}`);
  if (operation != null && typeof operation !== 'string') throw invalid('operation', operation, 'give a text');
  if (httpStatus != null) checkStatus('httpStatus', httpStatus);
  if (details != null && (typeof details !== 'object' || Array.isArray(details))) {
    throw invalid('details', details, 'give an object of observed facts');
  }
  return Object.freeze({
    event_id: crypto.randomUUID().replaceAll('-', ''),
    boundary,
    failure_kind: failureKind,
    failure_reason: checkedReason(options),
    ...(stage == null ? undefined : { stage }),
    ...(operation == null ? undefined : { operation: operation.toWellFormed() }),
    ...(httpStatus == null ? undefined : { http_status: httpStatus }),
    ...(foreignError == null ? undefined : { foreign_error: foreignErrorFrom(foreignError) }),
    ...(details == null ? undefined : { details: observedFacts(details) satisfies JsonObject }),
  });
}

function checkStatus(name: string, value: unknown): void {
  if (!isHttpStatus(value)) throw invalid(name, value, `give an integer ${HTTP_STATUS_MIN}–${HTTP_STATUS_MAX}`);
}

function foreignErrorFrom(option: ForeignErrorOption): SdkErrorDetails {
  if (typeof option !== 'object') throw invalid('foreignError', option, 'give { exceptionType, message, httpStatus? }');
  const wire = 'exception_type' in option;
  const exceptionType: unknown = wire ? option.exception_type : option.exceptionType;
  const status: unknown = wire ? option.http_status : option.httpStatus;
  if (typeof exceptionType !== 'string' || exceptionType === '') {
    throw invalid('foreignError.exceptionType', exceptionType, 'give the name of the error type');
  }
  if (typeof option.message !== 'string') throw invalid('foreignError.message', option.message, 'give a text');
  if (status != null) checkStatus('foreignError.httpStatus', status);
  return Object.freeze({
    exception_type: exceptionType.toWellFormed(),
    message: boundedText(option.message, FOREIGN_MESSAGE_MAX_CHARS),
    ...(isHttpStatus(status) ? { http_status: status } : undefined),
  });
}
