import { shown } from './text.ts';
import { REPORT_MAX_LEVELS } from './wire.ts';

/** An escape of a surrogate: only such a text can hold a lone one. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** Whether every text that JSON `text` holds is certainly well-formed, so that nobody needs to look at each. */
export function checkReportText(text: string): boolean {
  return text.isWellFormed() && !(text.includes('\\u') && SURROGATE_ESCAPE.test(text));
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
  // JSON.parse gives back plain objects and arrays, so for…in meets own members only.
  for (const key in value) {
    const member: unknown = (value as Record<string, unknown>)[key];
    if (typeof member === 'object' || typeof member === 'number') freezeChecked(member, level + 1);
  }
  return Object.freeze(value);
}
