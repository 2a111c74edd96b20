import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FailureReport, FailureReportRow } from '../../src/index.ts';
import { reportRecord, row } from '../support/arbitraries.ts';
import { canonical } from '../support/canonical.ts';
import { expectedReport } from '../support/oracle.ts';
import { PROPERTY_TIMEOUT_MS, runs } from '../support/runs.ts';

const { EVENTS, FAILURE_ID, OMITTED, KEYS } = FailureReportRow;

describe('FailureReportRow', () => {
  it('has the keys of the wire', () => {
    expect([EVENTS, FAILURE_ID, OMITTED]).toEqual([
      '_ng_failure_events',
      '_ng_failure_id',
      '_ng_failure_events_omitted',
    ]);
    expect(KEYS).toEqual([EVENTS, FAILURE_ID, OMITTED]);
    expect(Object.isFrozen(KEYS) && Object.isFrozen(FailureReportRow)).toBe(true);
  });

  it('writes only the fields that are set', () => {
    expect(FailureReportRow.fields(FailureReport.EMPTY)).toEqual({});
    expect(FailureReportRow.fields(FailureReport.parse({ omitted: true }))).toEqual({ [OMITTED]: true });
  });

  it('merges into a row of any type, and skips replies without a report', () => {
    interface Rollout {
      readonly reward: number;
    }
    const rollout: Rollout = { reward: 1 };
    const report = FailureReport.parse({ omitted: true });
    const merged = FailureReportRow.mergedInto(rollout, undefined, report, undefined);
    expect(merged).toEqual({ reward: 1, [OMITTED]: true });
    expect(merged.reward satisfies number).toBe(1);
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['row', '"row"'],
    [[], 'an array'],
  ])('refuses %o as a row', (row, named) => {
    // @ts-expect-error a caller without types
    expect(() => FailureReportRow.mergedInto(row)).toThrow(new RegExp(`^FailureReportRow: the row is ${named}: give`));
  });

  it('reads whatever stands there as omitted when it is no report', () => {
    for (const odd of [[], 'x', 7, true, { a: 3 }]) {
      expect(FailureReportRow.report({ [EVENTS]: odd }).toJSON()).toEqual({ omitted: true });
    }
    const throwing = {
      get [EVENTS](): never {
        throw null;
      },
    };
    expect(FailureReportRow.report(throwing).toJSON()).toEqual({ omitted: true });
    expect(FailureReportRow.report({ [OMITTED]: false, [EVENTS]: {} })).toBe(FailureReport.EMPTY);
  });

  it('gives frozen and prototype-less rows back with their fields', () => {
    const given = Object.freeze(Object.assign(Object.create(null), { reward: 1, [OMITTED]: true }));
    expect(FailureReportRow.mergedInto(given)).toEqual({ reward: 1, [OMITTED]: true });
  });
});

describe('any row', { timeout: PROPERTY_TIMEOUT_MS }, () => {
  it('keeps its own fields, its saved report first, and is not changed', () => {
    fc.assert(
      fc.property(row, reportRecord, (given, record) => {
        const before = JSON.stringify(given);
        const data: Record<string, unknown> = JSON.parse(before);
        const saved = FailureReportRow.report(given);
        const expected = expectedReport({ events: data[EVENTS], failure_id: data[FAILURE_ID], omitted: data[OMITTED] });
        assert.equal(canonical(saved), canonical(expected ?? { omitted: true }));
        const report = FailureReport.parse(record);
        const merged = FailureReportRow.mergedInto(given, report);
        const whole = saved.merge(report);
        const read: Record<string, unknown> = JSON.parse(JSON.stringify(merged));
        assert.equal(canonical(FailureReportRow.report(read)), canonical(whole));
        assert.equal(canonical(own(merged)), canonical(own(given)));
        assert.equal(canonical(FailureReportRow.mergedInto(merged, report)), canonical(merged));
        assert.equal(JSON.stringify(given), before);
      }),
      runs(),
    );
  });
});

function own(given: object): object {
  const keys: readonly string[] = KEYS;
  return Object.fromEntries(Object.entries(given).filter(([key]) => !keys.includes(key)));
}
