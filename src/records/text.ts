import { isError } from './is-error.ts';
import { TRUNCATION_MARKER } from './wire.ts';

/** Paths and values come from other machines; what an error says of them stays readable. */
const EXPLANATION_MAX_CHARS = 500;
const PLACE_MAX_CHARS = 200;

/**
 * `text` as well-formed Unicode of at most `maxChars` code points, as Python counts them. A longer text keeps its
 * start and ends in the truncation marker, inside that budget. A surrogate pair is never cut: pydantic refuses a whole
 * document for one lone surrogate.
 */
export function boundedText(text: string, maxChars: number): string {
  // A text of this many code units or fewer cannot have more code points.
  if (text.length <= maxChars) return text.toWellFormed();
  const end = offsetOfCodePoint(text, maxChars);
  if (end >= text.length) return text.toWellFormed();
  const start = text.slice(0, offsetOfCodePoint(text, maxChars - TRUNCATION_MARKER.length)).toWellFormed();
  // A copy: V8's slice of a text of many megabytes would keep all of it alive, as long as the failure is remembered.
  return Buffer.from(start).toString() + TRUNCATION_MARKER;
}

/** The code unit at which code point number `count` starts, or the text's length when it has fewer. */
function offsetOfCodePoint(text: string, count: number): number {
  let offset = 0;
  for (let seen = 0; seen < count && offset < text.length; seen += 1) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return offset;
}

/**
 * What a terminal or a log would act on instead of showing it: control characters, lone surrogates, line separators, and
 * the invisible format characters, bidirectional overrides among them. The two joiners stay, scripts and emoji need them.
 */
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const LINE_BREAKS = /[\t-\r\u0085\u2028\u2029]+/g;
const PRINTABLE_ASCII = /^[ -~]*$/;

/** `text` with what a terminal or a log would act on written `\u{…}`. */
export function visible(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text;
  return text.replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A text from elsewhere on one line, for an error message or a diagnostic line. */
export function onOneLine(text: string, maxChars: number): string {
  return visible(boundedText(text, maxChars).replace(LINE_BREAKS, ' '));
}

/** A place in data from elsewhere, such as `events.<id>.details`, for an error message. */
export function place(path: string): string {
  return onOneLine(path, PLACE_MAX_CHARS);
}

/** An error that names a place in data from elsewhere. */
export function faultAt(path: string, what: string): TypeError {
  return new TypeError(`${place(path)}: ${what}`);
}

/** What a caught value says of itself, for an error message or a diagnostic line: one line, bounded; never throws. */
export function explained(thrown: unknown): string {
  try {
    const message = isError(thrown) ? thrown.message : thrown;
    return typeof message === 'string' ? onOneLine(message, EXPLANATION_MAX_CHARS) : shown(message);
  } catch {
    return 'something that cannot be shown';
  }
}

/** `value` for an error message: one line, quoted when it is text, never longer than a line of a terminal. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return visible(JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value));
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'bigint' ? `${value}n` : String(value);
}

/**
 * The one of `known` that was probably meant by `word`: at most a third of the longer one's characters differ.
 * `undefined` when none is that near.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  if (word.length > MEANT_MAX_CHARS) return undefined;
  for (const one of known) {
    const edits = editsBetween(word, one);
    if (edits >= least || edits * 3 > Math.max(word.length, one.length)) continue;
    least = edits;
    best = one;
  }
  return best;
}

/** A longer word is no slip of the pen, and comparing costs its length. */
const MEANT_MAX_CHARS = 80;

/** Characters to insert, remove or replace to make one word of the other; one row of Levenshtein's table at a time. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let at = 1; at <= from.length; at += 1) {
    const next = [at];
    for (let end = 1; end <= to.length; end += 1) {
      const replaced = (row[end - 1] ?? 0) + (from[at - 1] === to[end - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[end] ?? 0) + 1, (next[end - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
