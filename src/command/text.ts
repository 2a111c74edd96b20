import { styleText } from 'node:util';
import { visible } from '../records/text.ts';

/** Longest text of a row on one line of output, in code points. */
const LINE_MAX_CHARS = 200;
/** Printable ASCII, the common case. */
const PLAIN = /^[ -~]*$/;

/**
 * `text`, which may come from anywhere, as one line that a terminal only shows: runs of white space are one space,
 * what a terminal would act on is written `\u{…}`, and over `maxChars` code points it ends in `…`.
 */
export function oneLine(text: string, maxChars = LINE_MAX_CHARS): string {
  if (text.length <= maxChars && PLAIN.test(text)) return text;
  // A code point is at most two units; the rest of a huge text need not be looked at.
  const start = text.length > maxChars * 4 ? text.slice(0, maxChars * 4) : text;
  const safe = visible(start.replace(/\s+/g, ' ').trim());
  if (safe.length <= maxChars && start === text) return safe;
  const points = Array.from(safe);
  if (points.length <= maxChars && start === text) return safe;
  return `${points.slice(0, maxChars - 1).join('')}…`;
}

/** What JSON leaves as it is, and a terminal may act on all the same. */
const UNSAFE_IN_JSON = /(?![\u200c\u200d])[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** `value` as JSON for programs, which a terminal only shows too: the same data, more of it written as escapes. */
export function jsonText(value: unknown): string {
  const json = JSON.stringify(value, undefined, 2);
  return json.replace(UNSAFE_IN_JSON, (character) => {
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

/** `count` with its noun in the right number: `1 row`, `2 rows`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`;
}

export type StyleName = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';
/** Colours a piece of output, or leaves it as it is. */
export type Style = (name: StyleName, text: string) => string;

export const noStyle: Style = (_name, text) => text;
const ansiStyle: Style = (name, text) => styleText(name, text, { validateStream: false });

/** Colours for a terminal that has them; `NO_COLOR`, `TERM=dumb` and a pipe get plain text. */
export function styleFor(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'hasColors'>): Style {
  return stream.isTTY && stream.hasColors() ? ansiStyle : noStyle;
}
