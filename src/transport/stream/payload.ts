import { isUtf8 } from 'node:buffer';
import type { FailureReport } from '../../records/failure-report.ts';
import { isPlainObject } from '../../records/json.ts';
import { STREAM_TERMINAL_TYPES } from '../../records/wire.ts';
import { FailureHeader, OMITTED } from '../header.ts';
import { GatheredReports } from './gathered.ts';
import { LF, QUOTED_FIELD } from './scan.ts';

/**
 * The report in an event's data that holds the quoted field name. `data` is the event's lines, each with a line feed
 * at its end. Where the whole is not JSON each line stands by itself: some servers send no blank line between events.
 */
export function readEventData(data: Buffer): FailureReport | undefined {
  const whole = parseJson(data);
  if (whole !== undefined) return readPayload(whole.value);
  const reports = new GatheredReports();
  for (let at = 0; at < data.length; ) {
    const end = data.indexOf(LF, at);
    const line = data.subarray(at, end);
    if (line.includes(QUOTED_FIELD)) {
      const parsed = parseJson(line);
      const found = parsed === undefined ? OMITTED : readPayload(parsed.value);
      if (found !== undefined) reports.add(found, 0);
    }
    at = end + 1;
  }
  return reports.report;
}

/** `undefined` for what is not UTF-8 or not JSON; a value of its own, since JSON may be `null`. */
function parseJson(bytes: Buffer): { readonly value: unknown } | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    // toString keeps a byte order mark, which JSON.parse refuses: inside a stream it is data.
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return undefined;
  }
}

/** Only what ends a stream counts; the chat dialect names no type, so there any event that carries the field. */
function readPayload(payload: unknown): FailureReport | undefined {
  if (!isPlainObject(payload)) return undefined;
  const { type } = payload;
  if (typeof type === 'string' && !STREAM_TERMINAL_TYPES.has(type)) return undefined;
  return FailureHeader.decodeStreamEvent(payload);
}
