import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { FailureReport, failureReportFor, NgFailureEvent, rebuildFailure } from '../../src/index.ts';
import { canonical } from '../support/canonical.ts';
import { type ChainLink, chainLinks, errorOf } from '../support/chains.ts';
import { PROPERTY_TIMEOUT_MS, runs } from '../support/runs.ts';

/** What a chain's report must be, said without any of the code that makes it. */
function expected(links: readonly ChainLink[], errors: readonly unknown[]): object {
  const events: Record<string, Record<string, unknown>> = {};
  let open: Record<string, unknown> | undefined;
  let failureId: string | undefined;
  for (const [index, link] of links.entries()) {
    const error = errors[index];
    if (link.kind === 'event' && error instanceof NgFailureEvent) {
      failureId ??= error.eventId;
      if (open !== undefined) open.cause_id = error.eventId;
      open = { event_id: error.eventId, ...link.record };
      events[error.eventId] = open;
    } else if (link.kind === 'foreign' && open !== undefined) {
      open.foreign_error ??= link.facts;
    }
  }
  return failureId === undefined ? {} : { failure_id: failureId, events };
}

describe('any chain of causes', { timeout: PROPERTY_TIMEOUT_MS }, () => {
  it('becomes the report that the contract asks for, and that report becomes the same chain again', () => {
    fc.assert(
      fc.property(chainLinks, (links) => {
        const { error, errors } = errorOf(links);
        const report = failureReportFor(error);
        assert.equal(canonical(report), canonical(expected(links, errors)));
        assert.equal(canonical(FailureReport.parse(JSON.parse(JSON.stringify(report)))), canonical(report));
        const rebuilt = rebuildFailure(report);
        assert.equal(rebuilt?.eventId, report.failureId);
        if (rebuilt !== undefined) assert.equal(canonical(failureReportFor(rebuilt)), canonical(report));
        for (const one of errors) {
          if (!NgFailureEvent.is(one)) continue;
          const record = one.toRecord();
          assert.equal(canonical(record), canonical(report.events.get(one.eventId)));
          const restored = NgFailureEvent.fromRecord(JSON.parse(JSON.stringify(record)), one.cause);
          assert.equal(canonical(restored.toRecord()), canonical(record));
        }
      }),
      runs(),
    );
  });
});
