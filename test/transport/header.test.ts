import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FailureHeader, FailureReport, failureReportFor, NgFailureEvent } from '../../src/index.ts';
import { nearlyReport, reportRecord } from '../support/arbitraries.ts';
import { canonical } from '../support/canonical.ts';
import { PROPERTY_TIMEOUT_MS, runs } from '../support/runs.ts';

const OMITTED = '{"omitted":true}';

function reportOf(failureReason: string): FailureReport {
  return failureReportFor(new NgFailureEvent({ boundary: 'model', failureKind: 'cancelled', failureReason }));
}

function sent(report: FailureReport, maxBytes?: number): string | undefined {
  return FailureHeader.encode(report, maxBytes)[FailureHeader.NAME];
}

describe('FailureHeader', () => {
  it('has the names and the limit of the wire', () => {
    expect(FailureHeader).toMatchObject({
      NAME: 'X-NG-Failure-Report',
      STREAM_FIELD: 'nemo_gym_failure_report',
      MAX_BYTES: 4096,
    });
    expect(Object.isFrozen(FailureHeader)).toBe(true);
  });

  it('escapes all but printable ASCII, also what JSON leaves alone', () => {
    const reason = 'é \u007f \u0000 \u2028 漢字 😀 \r\n ~';
    const value = sent(reportOf(reason)) ?? '';
    expect(value).toMatch(/^[\x20-\x7e]+$/);
    expect(value).toContain('\\u00e9 \\u007f \\u0000 \\u2028 \\u6f22\\u5b57 \\ud83d\\ude00 \\r\\n ~');
    expect([...(FailureHeader.decode({ [FailureHeader.NAME]: value })?.events.values() ?? [])][0]?.failure_reason).toBe(
      reason,
    );
  });

  it('says omitted for what is longer than the limit, never a longer limit than 4,096', () => {
    const long = FailureReport.EMPTY.merge(reportOf('x'.repeat(2000)), reportOf('y'.repeat(2000)), reportOf('z'));
    expect(sent(long)).toBe(OMITTED);
    for (const limit of [5000, Number.POSITIVE_INFINITY, Number.NaN]) expect(sent(long, limit)).toBe(OMITTED);
    const small = reportOf('x');
    const bytes = sent(small)?.length ?? 0;
    expect(sent(small, bytes)).toBe(sent(small));
    expect(sent(small, bytes - 1)).toBe(OMITTED);
    expect(sent(FailureReport.EMPTY, 1)).toBeUndefined();
  });

  it('merges several values, one that is invalid among them', () => {
    const [one, two] = [reportOf('one'), reportOf('two')];
    const values = [sent(one) ?? '', 'broken', sent(two) ?? ''];
    const merged = FailureHeader.decode({ 'x-ng-failure-report': values });
    expect(canonical(merged)).toBe(canonical(one.merge(FailureReport.parse({ omitted: true }), two)));
    const pairs = values.map((value): [string, string] => ['X-Ng-Failure-Report', value]);
    expect(canonical(FailureHeader.decode(pairs))).toBe(canonical(merged));
  });

  it('reads a stream event at its top level first, then inside response', () => {
    const [outer, inner] = [reportOf('outer').toJSON(), reportOf('inner').toJSON()];
    const { STREAM_FIELD } = FailureHeader;
    const read = (payload: unknown): string => canonical(FailureHeader.decodeStreamEvent(payload) ?? null);
    expect(read({ [STREAM_FIELD]: outer, response: { [STREAM_FIELD]: inner } })).toBe(canonical(outer));
    expect(read({ [STREAM_FIELD]: null, response: { [STREAM_FIELD]: inner } })).toBe(canonical(inner));
    for (const nothing of [undefined, null, 'x', [], {}, { response: null }, { response: { [STREAM_FIELD]: null } }]) {
      expect(read(nothing)).toBe('null');
    }
    for (const invalid of ['x', 7, [], { events: 3 }, true]) expect(read({ [STREAM_FIELD]: invalid })).toBe(OMITTED);
    expect(
      read(
        new Proxy(
          {},
          {
            get: () => {
              throw null;
            },
          },
        ),
      ),
    ).toBe(OMITTED);
  });
});

describe('the header of any report', { timeout: PROPERTY_TIMEOUT_MS }, () => {
  it('fits, is printable, and reads as the same report or as omitted', () => {
    fc.assert(
      fc.property(reportRecord, fc.integer({ min: 16, max: 6000 }), (record, maxBytes) => {
        const report = FailureReport.parse(record);
        const value = sent(report, maxBytes);
        if (value === undefined) return assert.ok(report.isEmpty);
        assert.ok(value.length <= Math.min(maxBytes, 4096));
        assert.match(value, /^[\x20-\x7e]+$/);
        const decoded = canonical(FailureHeader.decode([[FailureHeader.NAME, value]]));
        assert.ok(value === OMITTED ? decoded === OMITTED : decoded === canonical(report));
        assert.equal(
          canonical(FailureHeader.decodeStreamEvent({ [FailureHeader.STREAM_FIELD]: report.toJSON() })),
          canonical(report),
        );
      }),
      runs(),
    );
  });

  it('is read without a throw, whatever it holds and whatever holds it', () => {
    const value = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      nearlyReport.map((report) => JSON.stringify(report).slice(0, 3000)),
      fc.json(),
    );
    fc.assert(
      fc.property(fc.oneof(value, fc.array(value, { maxLength: 3 }), fc.anything()), fc.anything(), (one, headers) => {
        for (const given of [
          { 'X-NG-Failure-Report': one },
          [['x-ng-failure-report', one]],
          new Map([['x-ng-failure-report', one]]),
          headers,
        ]) {
          const report: unknown = Reflect.apply(FailureHeader.decode, undefined, [given]);
          assert.ok(report === undefined || FailureReport.is(report));
        }
      }),
      runs(),
    );
  });
});
