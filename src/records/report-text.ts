import { shown } from './text.ts';
import { REPORT_MAX_LEVELS } from './wire.ts';

/** An escaped high surrogate without a low one after it, or a low one without a high one before it. */
const LONE_SURROGATE_ESCAPE =
  /\\u[dD][89abAB][\da-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][\da-fA-F]{2})\\u[dD][c-fC-F]/;

/** Whether every text that JSON `text` holds is certainly well-formed, so that nobody needs to look at each. */
export function checkReportText(text: string): boolean {
  if (!text.isWellFormed()) return false;
  // After a backslash that is itself escaped, what looks like an escape is not one.
  return !text.includes('\\u') || !(text.includes('\\\\') || LONE_SURROGATE_ESCAPE.test(text));
}

/**
 * Freezes what `JSON.parse` gave back, in place, and checks what text alone does not show: depth and numbers that have
 * no form in JSON (`1e999`).
 *
 * @throws TypeError that says where it is too deep or what number it is
 */
export function freezeChecked(value: unknown, level = 1): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${shown(value)} has no form in JSON`);
  if (typeof value !== 'object' || value === null) return value;
  if (level > REPORT_MAX_LEVELS) throw new TypeError(`nested over ${REPORT_MAX_LEVELS} levels`);
  for (const key in value) {
    const member: unknown = (value as Record<string, unknown>)[key];
    if (typeof member !== 'object' && typeof member !== 'number') continue;
    // for…in also meets what an app's libraries added to Object.prototype, and that is not ours to freeze.
    if (Object.hasOwn(value, key)) freezeChecked(member, level + 1);
  }
  return Object.freeze(value);
}
