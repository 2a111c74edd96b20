import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StreamFailureReportReader } from '../../../src/transport/stream/stream-reader.ts';
import { PROPERTY_TIMEOUT_MS, runs } from '../../support/runs.ts';
import { cuts, limits, streamBody, streamText } from '../../support/stream-bodies.ts';
import { readBytes, readInSteps, readText } from '../../support/stream-feeding.ts';
import { bytesOfText, reportOfBody } from '../../support/stream-oracle.ts';

describe('a stream cut in any way says what the whole body says', { timeout: PROPERTY_TIMEOUT_MS }, () => {
  it('whole and in random pieces', () => {
    fc.assert(
      fc.property(streamBody, cuts, limits, (body, places, limit) => {
        const expected = reportOfBody(body, limit)?.toJSON();
        expect(readBytes(body, [], limit)).toEqual(expected);
        expect(readBytes(body, places, limit)).toEqual(expected);
      }),
      runs(),
    );
  });

  it('in equal pieces of one byte and more', () => {
    fc.assert(
      fc.property(streamBody, fc.integer({ min: 1, max: 40 }), limits, (body, size, limit) => {
        expect(readInSteps(body, size, limit)).toEqual(reportOfBody(body, limit)?.toJSON());
        expect(readInSteps(body, 1, limit)).toEqual(readInSteps(body, size, limit));
      }),
      runs(),
    );
  });

  it('as text, cut between any two code units, with lone surrogates', () => {
    const surrogates = fc.constantFrom('', '', '\ud83d', '\ude00', '\ude00\ud83d', '😀');
    fc.assert(
      fc.property(streamText, surrogates, cuts, limits, (text, odd, places, limit) => {
        const given = text.replaceAll('\xff', odd).replace('y', odd);
        const expected = reportOfBody(bytesOfText(given), limit)?.toJSON();
        expect(readText(given, [], limit)).toEqual(expected);
        expect(readText(given, places, limit)).toEqual(expected);
      }),
      runs(),
    );
  });

  it('and when somebody looks at the report between pieces', () => {
    fc.assert(
      fc.property(streamBody, cuts, limits, (body, places, limit) => {
        const reader = new StreamFailureReportReader(limit);
        let from = 0;
        for (const to of [...places, body.length].sort((a, b) => a - b)) {
          reader.feed(body.subarray(from, to));
          from = Math.max(from, to);
          void reader.report;
        }
        expect(reader.finish()?.toJSON()).toEqual(reportOfBody(body, limit)?.toJSON());
      }),
      runs(),
    );
  });
});
