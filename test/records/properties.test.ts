import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { failureEventSchema, isCommonEvent } from '../../src/records/failure-event.ts';
import { FailureReport } from '../../src/records/failure-report.ts';
import { nearlyReport, reportRecord } from '../support/arbitraries.ts';
import { canonical } from '../support/canonical.ts';
import { expectedReport } from '../support/oracle.ts';
import { PROPERTY_TIMEOUT_MS, runs } from '../support/runs.ts';

/** What reading makes of a value: the wire form in order, or that it is refused. */
function verdict(read: () => FailureReport): string {
  try {
    return canonical(read());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    assert.match(error.message, /^Invalid failure report: /);
    return 'invalid';
  }
}

/** Both hold the very same events, whatever their order. */
function same(actual: FailureReport, expected: FailureReport): void {
  assert.equal(actual.failureId, expected.failureId);
  assert.equal(actual.omitted, expected.omitted);
  assert.equal(actual.events.size, expected.events.size);
  for (const [id, event] of expected.events) assert.equal(actual.events.get(id), event);
}

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}

describe('reading a report', { timeout: PROPERTY_TIMEOUT_MS }, () => {
  it('agrees with the contract written down a second time, from data and from text', () => {
    fc.assert(
      fc.property(fc.oneof(reportRecord, nearlyReport), (value) => {
        const json = JSON.stringify(value);
        const data: unknown = JSON.parse(json);
        const expected = expectedReport(data);
        const wanted = expected === undefined ? 'invalid' : canonical(expected);
        assert.equal(
          verdict(() => FailureReport.parse(data)),
          wanted,
        );
        assert.equal(
          verdict(() => FailureReport.parseText(json)),
          wanted,
        );
        assert.equal(JSON.stringify(data), json);
      }),
      runs(),
    );
  });

  it('never accepts an event on the short way that the schema refuses', () => {
    fc.assert(
      fc.property(nearlyReport, (value) => {
        const events = typeof value === 'object' && value !== null && 'events' in value ? value.events : undefined;
        for (const [id, event] of Object.entries(events ?? {})) {
          if (isCommonEvent(event, id)) assert.ok(failureEventSchema.safeParse(event).success);
        }
      }),
      runs(),
    );
  });
});

describe('a report', { timeout: PROPERTY_TIMEOUT_MS }, () => {
  it('comes back the same from its own JSON and keeps nothing that anybody can change', () => {
    fc.assert(
      fc.property(reportRecord, (value) => {
        const report = FailureReport.parse(value);
        const json = JSON.stringify(report);
        assert.equal(canonical(FailureReport.parse(JSON.parse(json))), canonical(report));
        assert.ok([...report.events.values()].every(isDeepFrozen));
        assert.equal(report.isEmpty, json === '{}');
      }),
      runs(),
    );
  });

  it('keeps the laws of merging', () => {
    fc.assert(
      fc.property(reportRecord, reportRecord, reportRecord, (one, two, three) => {
        const [a, b, c] = [FailureReport.parse(one), FailureReport.parse(two), FailureReport.parse(three)];
        const merged = a.merge(b, c);
        // Associative and idempotent, with the empty report on either side changing nothing.
        same(a.merge(b).merge(c), merged);
        same(a.merge(b.merge(c)), merged);
        same(merged.merge(a, b, c, merged), merged);
        same(FailureReport.EMPTY.merge(a), a);
        assert.equal(a.merge(FailureReport.EMPTY), a);
        // The first one seen wins, omitted sticks, and the whole is valid again.
        assert.equal(merged.failureId, a.failureId ?? b.failureId ?? c.failureId);
        assert.equal(merged.omitted, a.omitted || b.omitted || c.omitted);
        const ids = new Set([...a.events.keys(), ...b.events.keys(), ...c.events.keys()]);
        assert.deepEqual(new Set(merged.events.keys()), ids);
        for (const id of ids) {
          assert.equal(merged.events.get(id), a.events.get(id) ?? b.events.get(id) ?? c.events.get(id));
        }
        assert.equal(canonical(FailureReport.parse(merged.toJSON())), canonical(merged));
        assert.equal(merged.asObservations().failureId, undefined);
      }),
      runs(),
    );
  });
});
