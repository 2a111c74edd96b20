import { FailureReport, type FailureReportRecord } from '../records/failure-report.ts';
import { isPlainObject } from '../records/json.ts';
import { shown } from '../records/text.ts';
import {
  HEADER_MAX_BYTES,
  HEADER_NAME,
  OMITTED_HEADER_VALUE,
  STREAM_FIELD,
  STREAM_NESTED_IN,
} from '../records/wire.ts';
import { type HeadersLike, headerValues } from './headers-like.ts';

/** What stands for a report that was lost. */
export const OMITTED = FailureReport.ofEvents({ omitted: true });

/** Everything but printable ASCII. U+007F is among it: Python's `json.dumps` escapes it, `JSON.stringify` does not. */
const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]+/g;

/** One call for each run of such characters: for each character it would cost more than all the rest of encoding. */
function escapeRun(run: string): string {
  let escaped = '';
  for (let index = 0; index < run.length; index += 1) {
    escaped += `\\u${(run.charCodeAt(index) + 0x10000).toString(16).slice(1)}`;
  }
  return escaped;
}

/** Puts a report into one reply header and reads it on the other side; also the same report's form in a stream. */
export const FailureHeader = Object.freeze({
  /** Name of the reply header. */
  NAME: HEADER_NAME,
  /** Member of a stream's terminal event. */
  STREAM_FIELD,
  /** Most bytes of the header's value. */
  MAX_BYTES: HEADER_MAX_BYTES,

  /**
   * The reply headers for `report`: none when it is empty, `{"omitted":true}` when its JSON is longer than `maxBytes`.
   *
   * @param maxBytes - a lower limit, for proxies with small buffers; default and upper bound 4,096 bytes
   * @throws TypeError that names the value, when `report` is no report
   */
  encode(report: FailureReport, maxBytes: number = HEADER_MAX_BYTES): Record<string, string> {
    const value = headerValue(checkedReport('encode', report), maxBytes);
    return value === undefined ? {} : { [HEADER_NAME]: value };
  },

  /** The report in `headers`; `undefined` without one. Several values merge; an invalid one reads as omitted. Never throws. */
  decode(headers: HeadersLike | null | undefined): FailureReport | undefined {
    try {
      return decodeValues(headerValues(headers, HEADER_NAME));
    } catch {
      // Something that only looks like headers: a loss of the report changes nothing else.
      return OMITTED;
    }
  },

  /**
   * The stream field's value for `report`; `undefined` when it is empty. No size limit.
   *
   * @throws TypeError that names the value, when `report` is no report
   */
  streamValue(report: FailureReport): FailureReportRecord | undefined {
    return checkedReport('streamValue', report).isEmpty ? undefined : report.toJSON();
  },

  /**
   * The report that a terminal stream event carries, at its top level or inside `response`; `undefined` without one. An
   * invalid one reads as omitted. Never throws.
   */
  decodeStreamEvent(payload: unknown): FailureReport | undefined {
    try {
      return reportOf(fieldOf(payload));
    } catch {
      return OMITTED;
    }
  },
});

function checkedReport(name: string, report: FailureReport): FailureReport {
  if (FailureReport.is(report)) return report;
  throw new TypeError(`FailureHeader.${name}: the report is ${shown(report)}: give one of FailureReport.parse(value)`);
}

/** The header's value for `report`; `undefined` when there is nothing to send. */
export function headerValue(report: FailureReport, maxBytes: number = HEADER_MAX_BYTES): string | undefined {
  if (report.isEmpty) return undefined;
  // Also where a caller without types gives something that is no number.
  // biome-ignore lint/complexity/useMathMinMax: Math.min(NaN, …) is NaN, and then no report would be over the limit.
  const limit = maxBytes < HEADER_MAX_BYTES ? maxBytes : HEADER_MAX_BYTES;
  // Of a plain object: one with a toJSON method loses Node 26's fast path.
  const json = JSON.stringify(report.toJSON());
  if (json.length > limit) return OMITTED_HEADER_VALUE;
  const value = isPrintableAscii(json) ? json : json.replace(NOT_PRINTABLE_ASCII, escapeRun);
  return value.length > limit ? OMITTED_HEADER_VALUE : value;
}

/** Control characters are escaped by JSON already, so only U+007F and what is not ASCII can be left. */
function isPrintableAscii(json: string): boolean {
  return Buffer.byteLength(json) === json.length && !json.includes('\x7f');
}

/** The report that header values hold together; `undefined` for none. */
export function decodeValues(values: readonly string[]): FailureReport | undefined {
  if (values.length === 0) return undefined;
  return values.map(decodeValue).reduce((merged, report) => merged.merge(report));
}

function decodeValue(value: string): FailureReport {
  try {
    return FailureReport.parseText(value);
  } catch {
    return OMITTED;
  }
}

function fieldOf(payload: unknown): unknown {
  if (!isPlainObject(payload)) return undefined;
  const field = payload[STREAM_FIELD];
  if (field !== undefined && field !== null) return field;
  const nested = payload[STREAM_NESTED_IN];
  return isPlainObject(nested) ? nested[STREAM_FIELD] : undefined;
}

function reportOf(field: unknown): FailureReport | undefined {
  return field === undefined || field === null ? undefined : FailureReport.parse(field);
}
