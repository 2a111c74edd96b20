import type { FailureReport, FailureReportRecord } from '../../records/failure-report.ts';
import { shown } from '../../records/text.ts';
import { STREAM_FAILED_TYPE, STREAM_FIELD, STREAM_NESTED_IN } from '../../records/wire.ts';
import { FailureHeader } from '../header.ts';
import { reportForCurrentRequest } from '../observe.ts';
import { reportForCaller } from '../reply/outgoing.ts';
import { RequestFailureLog } from '../request-log.ts';

/** Which API a stream speaks: OpenAI's Responses, OpenAI's Chat Completions, Anthropic's Messages. */
export type StreamDialect = 'responses' | 'chat' | 'messages';

/** A stream event's payload with the report in its place. */
export type WithFailureReport<T> = T & {
  /** The report; absent when there is nothing to report. */
  readonly [STREAM_FIELD]?: FailureReportRecord;
};

/** What the public sees of an error without an event in its chain: its own text may hold anything. */
const UNKNOWN_FAILURE = 'The server failed while it streamed its reply';

/**
 * The payload of a stream's terminal event with the report of the current request in it (wire key
 * `nemo_gym_failure_report`): `error`'s explicit chain merged with the request's log. For what was observed after the
 * reply's headers left. A report that the payload carries already, such as a forwarded one, is merged into it. Write the
 * result in one `data:` line, as `JSON.stringify` puts it. What the request's caller may not see, by the instrumentation's
 * `server.sendReportTo` and `redact`, is left out, also of what the payload carries.
 *
 * @param event - the payload; it is not changed
 * @param error - the request's own failure; default: the one that `failRequest` named, none on success
 * @returns a copy, or `event` itself when there is nothing to report
 */
export function withFailureReport<T extends object>(event: T, error?: unknown): WithFailureReport<T> {
  return withReport(event, reportForCurrentRequest(error));
}

function withReport<T extends object>(event: T, own: FailureReport): WithFailureReport<T> {
  const served = RequestFailureLog.current()?.served;
  if (own.isEmpty && served?.options.policy === undefined) return event;
  const carried = FailureHeader.decodeStreamEvent(event);
  const report = carried === undefined ? own : own.merge(carried);
  const told = reportForCaller(served, report);
  if (own.isEmpty && told === report) return event;
  const value = FailureHeader.streamValue(told);
  const rest = told !== report && carried !== undefined ? withoutField(event) : event;
  return value === undefined ? rest : { ...rest, [STREAM_FIELD]: value };
}

/** A copy of an event without the report that it carries, wherever it does. */
function withoutField<T extends object>(event: T): T {
  const copy = Object.fromEntries(Object.entries(event).filter(([key]) => key !== STREAM_FIELD));
  const nested: unknown = copy[STREAM_NESTED_IN];
  if (typeof nested === 'object' && nested !== null && STREAM_FIELD in nested) {
    const { [STREAM_FIELD]: _carried, ...others } = nested;
    copy[STREAM_NESTED_IN] = others;
  }
  // The same members but the field, which no payload's own type names.
  return copy as T;
}

/** What else a {@link failureStreamEvent} says. */
export interface FailureStreamEventOptions {
  /**
   * Further members of the payload, such as `sequence_number`, or in the Responses dialect a `response` with the members
   * that the stream's earlier events gave it. What this package sets wins. Default: none.
   */
  readonly event?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The text of the event that ends a stream whose route failed after the headers left, with the report of the current
 * request in it (wire key `nemo_gym_failure_report`). Write it as it is, then end the reply:
 *
 * - `responses`: `event: response.failed`, with `response.status` `failed` and `response.error`
 * - `chat`: an unnamed event with `error`
 * - `messages`: `event: error`, with `error`
 *
 * The client sees the event's `failure_reason` and `failure_kind` as far as its report may say them, never the message of
 * another error in the chain: a third-party error's text may hold anything. When the stream stands in the middle of a
 * line or of another event, end that with a blank line first. This makes text and nothing else: `failRequest(error)` is
 * what tells traces of the failure.
 *
 * @param error - the request's own failure; default: the one that `failRequest` named
 * @throws TypeError when the dialect is none of these, or `options.event` cannot be written as JSON
 */
export function failureStreamEvent(
  dialect: StreamDialect,
  error?: unknown,
  options: FailureStreamEventOptions = {},
): string {
  const report = reportForCurrentRequest(error);
  if (!Object.hasOwn(FAILED, dialect)) {
    throw new TypeError(`Unknown stream dialect ${shown(dialect)}: use ${Object.keys(FAILED).map(shown).join(', ')}`);
  }
  const told = reportForCaller(RequestFailureLog.current()?.served, report);
  const { name, payload } = FAILED[dialect](publicFailure(told), options.event ?? {});
  const data = JSON.stringify(withReport(payload, report));
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`;
}

interface PublicFailure {
  readonly message: string;
  readonly kind: string | undefined;
}

function publicFailure(report: FailureReport): PublicFailure {
  const own = report.failureId === undefined ? undefined : report.events.get(report.failureId);
  return { message: own?.failure_reason ?? UNKNOWN_FAILURE, kind: own?.failure_kind };
}

type Members = Readonly<Record<string, unknown>>;

/** The terminal event of each dialect. Clients know `server_error` and `api_error`; the kind is beside them. */
const FAILED: Readonly<
  Record<StreamDialect, (failure: PublicFailure, event: Members) => { name?: string; payload: Members }>
> = {
  responses({ message }, event) {
    const response = {
      ...(typeof event.response === 'object' ? event.response : undefined),
      status: 'failed',
      error: { code: 'server_error', message },
    };
    return { name: STREAM_FAILED_TYPE, payload: { ...event, type: STREAM_FAILED_TYPE, response } };
  },
  chat({ message, kind }, event) {
    const { type: _type, ...members } = event;
    return { payload: { ...members, error: { message, type: 'server_error', param: null, code: kind ?? null } } };
  },
  messages({ message }, event) {
    return { name: 'error', payload: { ...event, type: 'error', error: { type: 'api_error', message } } };
  },
};
