import { STREAM_FIELD } from '../../records/wire.ts';

export const LF = 0x0a;
export const CR = 0x0d;

/** What a line must hold to matter: the field's name between its quotes, as every JSON writer puts it. */
export const QUOTED_FIELD: Buffer = Buffer.from(JSON.stringify(STREAM_FIELD));

/**
 * One stretch of a stream. Where the next line end or quoted field name stands is searched once and remembered, so that
 * many short lines cost no more than one long one.
 */
export class StreamScan {
  readonly bytes: Buffer;
  #lf = -1;
  #cr = -1;
  #name = -1;
  /** No name starts before it. */
  readonly #nameFrom: number;

  /** @param clean - so many bytes at the start are known not to hold the name */
  constructor(bytes: Buffer, clean = 0) {
    this.bytes = bytes;
    this.#nameFrom = clean - QUOTED_FIELD.length + 1;
  }

  /** Where the line that `at` is in ends: its CR or LF, or the end of the stretch. */
  lineEnd(at: number): number {
    if (this.#lf < at) this.#lf = this.#next(LF, at);
    if (this.#cr < at) this.#cr = this.#next(CR, at);
    return Math.min(this.#lf, this.#cr);
  }

  /** Where the next quoted field name at or after `at` starts, or the end of the stretch. */
  name(at: number): number {
    if (this.#name < at) this.#name = this.#next(QUOTED_FIELD, Math.max(at, this.#nameFrom));
    return this.#name;
  }

  #next(what: number | Buffer, at: number): number {
    const found = this.bytes.indexOf(what, at);
    return found < 0 ? this.bytes.length : found;
  }
}

/** So many bytes are looked at one by one, which is the faster way for the events of most streams. */
const NEAR_BYTES = 512;

/**
 * Where the event that `to` is in starts: after the last blank line before it, or at `from` when there is none. A blank
 * line is a line end right after another one; CR LF is a single one. The LF of a blank CR LF may be left to the next
 * event: there it is a blank line too many, which means nothing.
 *
 * @param clean - so many bytes at the start are known to hold no blank line
 */
export function eventStart(bytes: Buffer, from: number, to: number, clean = 0): number {
  const first = Math.max(from, clean - 1);
  const near = Math.max(first, to - NEAR_BYTES);
  for (let at = to - 1; at > near; at -= 1) {
    if (isBlankLine(bytes, at)) return at + 1;
  }
  return near === first ? from : farEventStart(bytes, first, near + 1, from);
}

/** Goes from line end to line end, each searched once. */
function farEventStart(bytes: Buffer, first: number, to: number, from: number): number {
  const part = bytes.subarray(first, to);
  let lf = part.lastIndexOf(LF);
  let cr = part.lastIndexOf(CR);
  for (let at = Math.max(lf, cr); at > 0; at = Math.max(lf, cr)) {
    if (isBlankLine(part, at)) return first + at + 1;
    if (lf === at) lf = part.lastIndexOf(LF, at - 1);
    else cr = part.lastIndexOf(CR, at - 1);
  }
  return from;
}

/** Whether the byte at `at` ends a line right after the end of another one. */
function isBlankLine(bytes: Buffer, at: number): boolean {
  const byte = bytes[at];
  if (byte === LF) return bytes[at - 1] === LF;
  return byte === CR && (bytes[at - 1] === CR || bytes[at - 1] === LF);
}
