import { styleText } from 'node:util';

/** Longest text of a row on one line of output, in code points. */
const LINE_MAX_CHARS = 200;
/** Printable ASCII, the common case. */
const PLAIN = /^[ -~]*$/;
/**
 * What a terminal would act on instead of showing it: control characters, lone surrogates, line separators, and the
 * invisible format characters, bidirectional overrides among them. The two joiners stay, scripts and emoji need them.
 */
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * `text`, which may come from anywhere, as one line that a terminal only shows: runs of white space are one space,
 * what a terminal would act on is written `\u{…}`, and over `maxChars` code points it ends in `…`.
 */
export function oneLine(text: string, maxChars = LINE_MAX_CHARS): string {
  if (text.length <= maxChars && PLAIN.test(text)) return text;
  // A code point is at most two units; the rest of a huge text need not be looked at.
  const start = text.length > maxChars * 4 ? text.slice(0, maxChars * 4) : text;
  const safe = start.replace(/\s+/g, ' ').trim().replace(UNSAFE, escaped);
  if (safe.length <= maxChars && start === text) return safe;
  const points = Array.from(safe);
  if (points.length <= maxChars && start === text) return safe;
  return `${points.slice(0, maxChars - 1).join('')}…`;
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
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
