import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import * as one from '../../src/index.ts';

// npm can install this package twice in one tree, and both copies then serve the same requests.
let two: typeof one;
beforeAll(async () => {
  vi.resetModules();
  two = await import('../../src/index.ts');
});
afterEach(() => context.disable());

const options = { boundary: 'model', failureKind: 'cancelled', failureReason: 'x' } as const;

it('there are two', () => {
  expect(two.NgFailureEvent).not.toBe(one.NgFailureEvent);
  expect(two.FailureReport).not.toBe(one.FailureReport);
});

describe('events of another copy', () => {
  it('are known, but not by instanceof', () => {
    const other = new two.NgFailureEvent(options);
    expect(other).not.toBeInstanceOf(one.NgFailureEvent);
    expect(one.NgFailureEvent.is(other)).toBe(true);
    expect(two.NgFailureEvent.is(new one.NgFailureEvent(options))).toBe(true);
    expect(one.findBoundaryFailure(new Error('x', { cause: other }))).toBe(other);
  });

  it('take their place in chains, in both directions', () => {
    const low = new two.NgFailureEvent({ ...options, details: { n: [1] }, cause: new Error('below') });
    const middle = new one.NgFailureEvent({ ...options, cause: low });
    const high = new two.NgFailureEvent({ ...options, cause: new TypeError('between', { cause: middle }) });
    const report = one.failureReportFor(high);
    expect([...report.events.keys()]).toEqual([high.eventId, middle.eventId, low.eventId]);
    expect(report.events.get(high.eventId)?.cause_id).toBe(middle.eventId);
    expect(report.events.get(low.eventId)?.foreign_error?.message).toBe('below');
    expect(two.failureReportFor(high).toJSON()).toEqual(report.toJSON());
    expect(high.toRecord()).toEqual(report.events.get(high.eventId));
  });

  it('keep kinds that either registered', () => {
    two.registerFailureKinds('kind_of_two');
    expect(one.isRegistered('kind_of_two')).toBe(true);
    expect(new one.NgFailureEvent({ ...options, failureKind: 'kind_of_two' }).failureKind).toBe('kind_of_two');
  });
});

describe('reports of another copy', () => {
  const own = (): one.FailureReport => one.failureReportFor(new one.NgFailureEvent(options));
  const other = (): one.FailureReport => two.failureReportFor(new two.NgFailureEvent(options));

  it('are known, read and merged', () => {
    const [mine, theirs] = [own(), other()];
    expect(one.FailureReport.is(theirs) && two.FailureReport.is(mine)).toBe(true);
    expect(theirs).not.toBeInstanceOf(one.FailureReport);
    const parsed = one.FailureReport.parse(theirs);
    expect(parsed).toBeInstanceOf(one.FailureReport);
    expect(parsed.toJSON()).toEqual(theirs.toJSON());
    expect(mine.merge(theirs)).toBeInstanceOf(one.FailureReport);
    expect([...mine.merge(theirs).events.keys()]).toEqual([...mine.events.keys(), ...theirs.events.keys()]);
    expect(one.FailureReport.EMPTY.merge(two.FailureReport.EMPTY)).toBe(one.FailureReport.EMPTY);
  });

  it('are sent, saved and rebuilt', () => {
    const theirs = other();
    expect(one.FailureHeader.encode(theirs)).toEqual(two.FailureHeader.encode(theirs));
    expect(one.FailureReportRow.mergedInto({}, theirs)).toEqual(two.FailureReportRow.mergedInto({}, theirs));
    expect(one.rebuildFailure(theirs)?.eventId).toBe(theirs.failureId);
  });
});

describe.each([
  ['without a context manager', () => {}],
  ['with one', () => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())],
])('the log of another copy, %s', (_name, start) => {
  it('is the current one, and both write into it', async () => {
    start();
    await two.RequestFailureLog.capture(async (log) => {
      await new Promise((resolve) => setImmediate(resolve));
      expect(one.RequestFailureLog.current()).toBe(log);
      const [attempt, failure] = [new one.NgFailureEvent(options), new one.NgFailureEvent(options)];
      one.observeFailure(attempt);
      one.observeReply(two.FailureHeader.encode(two.failureReportFor(new two.NgFailureEvent(options))));
      one.observeModelOperation({ operationId: 'op', outcome: 'completed' });
      one.failRequest(failure);
      log.add(one.failureReportFor(new one.NgFailureEvent(options)));
      expect(log.report.events.size).toBe(3);
      expect(log.modelOperations.size).toBe(1);
      expect(log.replyReport().failureId).toBe(failure.eventId);
      expect(one.reportForCurrentRequest().events.size).toBe(4);
      expect(one.FailureReport.is(one.reportForCurrentRequest())).toBe(true);
    });
    expect(one.RequestFailureLog.current()).toBeUndefined();
  });
});
