import { TRUNCATION_MARKER } from './wire.ts';

/** Paths and values come from other machines; what an error says of them stays readable. */
const EXPLANATION_MAX_CHARS = 500;

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

/** What a caught value says of itself, for an error message or a diagnostic line; bounded, and never throws. */
export function explained(thrown: unknown): string {
  try {
    const message = thrown instanceof Error ? thrown.message : thrown;
    return typeof message === 'string' ? boundedText(message, EXPLANATION_MAX_CHARS) : shown(message);
  } catch {
    return 'something that cannot be shown';
  }
}

/** `value` for an error message: one line, quoted when it is text, never longer than a line of a terminal. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'bigint' ? `${value}n` : String(value);
}
