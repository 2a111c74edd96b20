import type { FailureReport } from '../../src/records/failure-report.ts';
import { isPlainObject } from '../../src/records/json.ts';
import { FailureHeader, OMITTED } from '../../src/transport/header.ts';

const QUOTED = '"nemo_gym_failure_report"';
const TERMINAL = ['response.completed', 'response.incomplete', 'response.failed', 'error', 'message_stop'];

/**
 * The stream field's rules of the wire page, one after the other, with the whole body in memory: slow and plain, to
 * judge the reader by. A body is a "binary" text, one character for each byte.
 */
export function reportOfBody(
  body: Uint8Array,
  { maxDataBytes = 1 << 20, maxReportBytes = 1 << 21 } = {},
): FailureReport | undefined {
  const binary = Buffer.from(body).toString('latin1');
  const lines = binary.replace(/^\xef\xbb\xbf/, '').split(/\r\n|\r|\n/);
  const cutOff = dataOf(lines.pop() ?? '');
  const events: string[][] = [[]];
  for (const line of lines) {
    const value = dataOf(line);
    if (line === '') events.push([]);
    else if (value !== undefined) events.at(-1)?.push(value);
  }
  if (cutOff !== undefined && cutOff.length > maxDataBytes && cutOff.includes(QUOTED)) events.at(-1)?.push(cutOff);
  let left = maxReportBytes;
  let kept: FailureReport | undefined;
  for (const values of events) {
    const report = reportOfEvent(values, maxDataBytes);
    if (report === undefined) continue;
    const bytes = values.reduce((sum, value) => sum + value.length + 1, 0);
    const fits = bytes - 1 > maxDataBytes || bytes <= left;
    const isKnown = [...report.events.keys()].every((id) => kept?.events.has(id) === true);
    left = fits ? left - (bytes - 1 > maxDataBytes ? 0 : bytes) : 0;
    kept = merged([kept, fits || isKnown ? report : OMITTED]);
  }
  return kept;
}

/** The bytes of a text; a lone surrogate becomes three bytes that are not UTF-8. */
export function bytesOfText(text: string): Uint8Array {
  const characters = Array.from(text, (character) =>
    character.isWellFormed() ? Buffer.from(character) : Buffer.from([0xed, 0xa0, 0x80]),
  );
  return Buffer.concat(characters);
}

function dataOf(line: string): string | undefined {
  if (line === 'data') return '';
  return line.startsWith('data:') ? line.slice('data:'.length).replace(/^ /, '') : undefined;
}

function reportOfEvent(values: readonly string[], maxDataBytes: number): FailureReport | undefined {
  const joined = values.join('\n');
  if (!joined.includes(QUOTED)) return undefined;
  if (joined.length > maxDataBytes) return OMITTED;
  const whole = parse(joined);
  return whole === undefined ? merged(values.map(reportOfLine)) : reportOfPayload(whole.value);
}

function reportOfLine(value: string): FailureReport | undefined {
  if (!value.includes(QUOTED)) return undefined;
  const parsed = parse(value);
  return parsed === undefined ? OMITTED : reportOfPayload(parsed.value);
}

function reportOfPayload(payload: unknown): FailureReport | undefined {
  if (!isPlainObject(payload)) return undefined;
  if (typeof payload.type === 'string' && !TERMINAL.includes(payload.type)) return undefined;
  return FailureHeader.decodeStreamEvent(payload);
}

function parse(binary: string): { value: unknown } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(binary, 'latin1'));
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function merged(reports: readonly (FailureReport | undefined)[]): FailureReport | undefined {
  return reports.reduce((all, one) => (one === undefined ? all : (all?.merge(one) ?? one)), undefined);
}
