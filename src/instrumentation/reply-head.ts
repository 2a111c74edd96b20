import type { FailureReport } from '../records/failure-report.ts';
import { decodeValues } from '../transport/header.ts';
import { isReportHeader } from '../transport/reply/reply-headers.ts';

/** What a reply's headers tell a watcher. */
export interface ReplyHead {
  /** The report in them, several headers merged; `undefined` without one. */
  readonly report: FailureReport | undefined;
  /** Whether the body is an event stream that can be read as it comes: encoded bytes are left alone. */
  readonly isPlainEventStream: boolean;
}

const CONTENT_TYPE = 'content-type';
const CONTENT_ENCODING = 'content-encoding';
const EVENT_STREAM = /^\s*text\/event-stream\s*(?:;|$)/i;

/** Reads names and values in turn: texts from `node:http`, buffers from undici, where a value may also be several. */
export function readReplyHead(raw: readonly unknown[]): ReplyHead {
  const reports: string[] = [];
  let eventStream = false;
  let plain = true;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = textOf(raw[index]);
    // Three names in a hundred: their lengths tell most others apart without a copy in lower case.
    if (isReportHeader(name)) addTexts(reports, raw[index + 1]);
    else if (isNamed(name, CONTENT_TYPE)) eventStream = EVENT_STREAM.test(textOf(raw[index + 1]));
    else if (isNamed(name, CONTENT_ENCODING)) plain = /^\s*(?:identity\s*)?$/i.test(textOf(raw[index + 1]));
  }
  return { report: decodeValues(reports), isPlainEventStream: eventStream && plain };
}

function isNamed(name: string, wanted: string): boolean {
  return name.length === wanted.length && name.toLowerCase() === wanted;
}

function addTexts(texts: string[], value: unknown): void {
  if (Array.isArray(value)) for (const item of value) texts.push(textOf(item));
  else texts.push(textOf(value));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Buffer.isBuffer(value)) return value.toString('latin1');
  return Array.isArray(value) ? textOf(value[0]) : '';
}
