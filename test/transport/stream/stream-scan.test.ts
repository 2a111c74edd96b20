import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventStart, StreamScan } from '../../../src/transport/stream/scan.ts';
import { PROPERTY_TIMEOUT_MS, runs } from '../../support/runs.ts';

describe('where an event starts', { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const body = fc
    .array(fc.constantFrom('\n', '\r', '\r\n', 'x', 'data', 'y'.repeat(300), 'y'.repeat(600)), { maxLength: 12 })
    .map((parts) => parts.join(''));

  it('is after the last blank line, near or far', () => {
    fc.assert(
      fc.property(body, fc.nat(3000), fc.nat(40), (text, end, begin) => {
        const to = Math.min(end, text.length);
        const from = Math.min(begin, to);
        // A line end right after a line end, but for the LF of a CR LF.
        const blank = [...text.slice(from, to).matchAll(/(?<=[\r\n])\r|(?<=\n)\n/g)].at(-1);
        const expected = blank === undefined ? from : from + blank.index + 1;
        expect(eventStart(Buffer.from(text), from, to)).toBe(expected);
      }),
      runs(),
    );
  });

  it('is not searched for in what is known to hold no blank line', () => {
    const bytes = Buffer.from('a\n\nb\n\nc');
    expect(eventStart(bytes, 0, bytes.length, 6)).toBe(0);
    expect(eventStart(bytes, 0, bytes.length, 5)).toBe(6);
  });
});

describe('a stretch of a stream', () => {
  it('tells the next line end and name from any place, in any order of growing places', () => {
    const scan = new StreamScan(Buffer.from('a\r\nb"nemo_gym_failure_report"\nc"nemo_gym_failure_report"'));
    expect([0, 2, 3].map((at) => scan.lineEnd(at))).toEqual([1, 2, 29]);
    expect([0, 4, 5].map((at) => scan.name(at))).toEqual([4, 4, 31]);
    expect(scan.lineEnd(30)).toBe(56);
    expect(scan.name(32)).toBe(56);
  });

  it('finds a name that begins in the clean part', () => {
    expect(new StreamScan(Buffer.from('abc"nemo_gym_failure_report"'), 27).name(0)).toBe(3);
    expect(new StreamScan(Buffer.from('abc"nemo_gym_failure_report"'), 28).name(0)).toBe(28);
  });
});
