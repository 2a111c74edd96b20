import { describe, expect, it } from 'vitest';
import { counted, jsonText, oneLine, styleFor } from '../../src/command/text.ts';

describe('oneLine', () => {
  it('leaves printable text alone', () => {
    for (const text of ['', 'upstream timed out', 'Zeitüberschreitung: 時間切れ', 'family 👨‍👩‍👧 می‌خواهم']) {
      expect(oneLine(text)).toBe(text);
    }
  });

  it('makes one line of many', () => {
    expect(oneLine('  Traceback:\n\tline 1\r\n\r\n  line 2\u2028line 3 ')).toBe('Traceback: line 1 line 2 line 3');
  });

  it.each([
    ['an escape sequence', '\x1b[2Jgone', '\\u{1b}[2Jgone'],
    ['a bell and a backspace', 'a\x07b\bc', 'a\\u{7}b\\u{8}c'],
    ['an 8-bit control sequence introducer', '\x9b31m', '\\u{9b}31m'],
    ['DEL', 'a\x7f', 'a\\u{7f}'],
    ['a bidirectional override', 'abc\u202etxt.exe', 'abc\\u{202e}txt.exe'],
    ['a bidirectional isolate', '\u2066a\u2069', '\\u{2066}a\\u{2069}'],
    ['an Arabic letter mark', '\u061ca', '\\u{61c}a'],
    ['a zero width space', 'a\u200bb', 'a\\u{200b}b'],
    ['a tag character', 'a\u{e0041}', 'a\\u{e0041}'],
    ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
  ])('writes %s so that it is only shown', (_name, text, expected) => {
    expect(oneLine(text)).toBe(expected);
  });

  it('is bounded in code points and never cuts a pair', () => {
    expect(oneLine('a'.repeat(201))).toBe(`${'a'.repeat(199)}…`);
    expect(oneLine('😀'.repeat(200))).toBe('😀'.repeat(200));
    expect(oneLine('😀'.repeat(300))).toBe(`${'😀'.repeat(199)}…`);
    expect(oneLine('abcdef', 4)).toBe('abc…');
    expect(Array.from(oneLine(`${' '.repeat(5000)}a`))).toHaveLength(1);
    expect(Array.from(oneLine('\x1b'.repeat(10_000)))).toHaveLength(200);
  });
});

it('JSON for programs is shown by a terminal and nothing else, and says the same', () => {
  const value = { 'a\x1b\x9b': ['b\x7f\u202e\u2028', 'c\u{e0041}\ud800', 'Zeit 時間 👨‍👩‍👧'], d: 1, e: null };
  const acted = [...jsonText(value)].filter((character) => /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(character));
  expect(new Set(acted)).toEqual(new Set(['\n', '\u200d']));
  expect(JSON.parse(jsonText(value))).toEqual(value);
});

it('counts in the right number', () => {
  expect([counted(0, 'row'), counted(1, 'row'), counted(100_000, 'row')]).toEqual(['0 rows', '1 row', '100,000 rows']);
});

it('colours only a terminal that has colours', () => {
  const style = (isTTY: boolean, colours: boolean) => styleFor({ isTTY, hasColors: () => colours });
  expect(style(true, true)('red', 'a')).toBe('\x1b[31ma\x1b[39m');
  expect(style(true, false)('red', 'a')).toBe('a');
  expect(style(false, true)('red', 'a')).toBe('a');
});
