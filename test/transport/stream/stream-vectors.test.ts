import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StreamFailureReportReader } from '../../../src/transport/stream/stream-reader.ts';
import { PROPERTY_TIMEOUT_MS, runs } from '../../support/runs.ts';
import { readBytes, readInSteps, readText } from '../../support/stream-feeding.ts';
import { reportOfBody } from '../../support/stream-oracle.ts';

interface Case {
  readonly name: string;
  readonly body: readonly (string | { readonly repeat: string; readonly times: number })[];
  readonly report: unknown;
}

const cases: Case[] = JSON.parse(readFileSync(new URL('../../vectors/stream.json', import.meta.url), 'utf8'));
/** Over it, a body is cut only around what matters in it and at random. */
const CUT_EVERYWHERE_BYTES = 100_000;

function textOf({ body }: Pick<Case, 'body'>): string {
  return body.map((part) => (typeof part === 'string' ? part : part.repeat.repeat(part.times))).join('');
}

describe.each(cases)('wire case: $name', ({ body, report }) => {
  const text = textOf({ body });
  const bytes = Buffer.from(text);
  const expected = report ?? undefined;

  it('whole, and finished twice', () => {
    const reader = new StreamFailureReportReader();
    reader.feed(bytes);
    expect(reader.finish()?.toJSON()).toEqual(expected);
    reader.feed(bytes);
    reader.feedText(text);
    expect(reader.finish()?.toJSON()).toEqual(expected);
    expect(reader.report?.toJSON()).toEqual(expected);
  });

  it('byte by byte, and in 64-byte pieces', () => {
    expect(readInSteps(bytes, 1)).toEqual(expected);
    expect(readInSteps(bytes, 64)).toEqual(expected);
  });

  it('cut in two at every place', () => {
    for (const place of placesToCut(bytes)) {
      const found = readBytes(bytes, [place]);
      // The comparison is slow and the places are many.
      if (JSON.stringify(found) !== JSON.stringify(expected)) expect({ place, found }).toEqual({ place, expected });
    }
  });

  it('as text', () => {
    expect(readText(text)).toEqual(expected);
  });

  it('by the reference reader', () => {
    expect(reportOfBody(bytes)?.toJSON()).toEqual(expected);
  });
});

it('wire cases in random pieces, of bytes and of text', { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const bodies = cases.map((of) => ({ name: of.name, text: textOf(of), expected: of.report ?? undefined }));
  const [short, long] = [true, false].map((isShort) =>
    fc.constantFrom(...bodies.filter(({ text }) => text.length <= CUT_EVERYWHERE_BYTES === isShort)),
  );
  if (short === undefined || long === undefined) throw new Error('there are short and long cases');
  // A long body takes as long as a thousand short ones.
  const oneCase = fc.oneof({ arbitrary: short, weight: 199 }, { arbitrary: long, weight: 1 });
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 });
  fc.assert(
    fc.property(oneCase, cuts, ({ name, text, expected }, shares) => {
      const bytes = Buffer.from(text);
      const places = shares.map((share) => Math.round(share * bytes.length));
      expect({ name, report: readBytes(bytes, places) }).toEqual({ name, report: expected });
      expect({ name, report: readText(text, places) }).toEqual({ name, report: expected });
    }),
    runs(),
  );
});

function placesToCut(bytes: Buffer): Iterable<number> {
  if (bytes.length <= CUT_EVERYWHERE_BYTES) return Array.from(bytes.keys());
  const places = new Set<number>();
  for (const what of ['data:', '"nemo_gym_failure_report"', '\n', '"}']) {
    for (let at = bytes.indexOf(what); at >= 0; at = bytes.indexOf(what, at + 1)) {
      for (let near = -2; near <= what.length + 2; near += 1) places.add(at + near);
    }
  }
  for (let edge = 64 * 1024; edge < bytes.length; edge += 64 * 1024) places.add(edge).add(edge + 1);
  return places;
}
