import { afterEach, describe, expect, it } from 'vitest';
import {
  explicitCauses,
  FailureReport,
  failureReportFor,
  findBoundaryFailure,
  NgFailureEvent,
  sdkErrorDetails,
} from '../../src/index.ts';
import { boom, HOSTILE, SECRET } from '../support/hostile-values.ts';

/** One failure above the hostile value, and what a reader on the other side makes of its report. */
function check(cause: unknown): void {
  const start = performance.now();
  const error = new NgFailureEvent({ boundary: 'model', failureKind: 'cancelled', failureReason: 'x', cause });
  const report = failureReportFor(error);
  const json = JSON.stringify(report);
  expect(report.failureId).toBe(error.eventId);
  expect(report.events.size).toBe(1);
  expect(json.length).toBeLessThan(6000);
  expect(json.isWellFormed() && !/\\ud[89a-f]/i.test(json)).toBe(true);
  expect(json).not.toContain(SECRET);
  expect(FailureReport.parseText(json).events.size).toBe(1);
  expect(NgFailureEvent.is(cause)).toBe(false);
  expect(findBoundaryFailure(cause)).toBeUndefined();
  expect(failureReportFor(cause).events.size).toBe(0);
  expect(JSON.stringify(sdkErrorDetails(cause)).length).toBeLessThan(3000);
  let links = 0;
  for (const _link of explicitCauses(cause)) links += 1;
  expect(links).toBeLessThanOrEqual(30_001);
  expect(JSON.stringify(error)).not.toContain(SECRET);
  expect(performance.now() - start).toBeLessThan(3000);
}

describe('whatever is thrown or attached as a cause gives a bounded event', () => {
  it.each(HOSTILE)('%s', (_what, make) => check(make()));

  it.each(HOSTILE)('under a foreign error: %s', (_what, make) => check(new Error('foreign', { cause: make() })));
});

describe('an app that changed how errors work', () => {
  const limit = Error.stackTraceLimit;
  const prepare = Error.prepareStackTrace;
  const added = ['cause', 'name', 'status', 'message', 'errors'];
  afterEach(() => {
    Error.stackTraceLimit = limit;
    Error.prepareStackTrace = prepare;
    for (const key of added) Reflect.deleteProperty(Object.prototype, key);
  });

  it('by taking stack traces away', () => {
    Error.stackTraceLimit = 0;
    check(new Error('x'));
    Reflect.deleteProperty(Error, 'stackTraceLimit');
    check(new Error('x'));
  });

  it('by breaking how they are written', () => {
    Error.prepareStackTrace = boom;
    check(new Error('x'));
  });

  it('by giving every object a cause, a name and a status', () => {
    const polluted = {
      cause: { value: { loop: true }, configurable: true },
      status: { value: 503, configurable: true },
    };
    Object.defineProperties(Object.prototype, polluted);
    const error = new NgFailureEvent({ boundary: 'model', failureKind: 'cancelled', failureReason: 'x' });
    expect(failureReportFor(error).events.size).toBe(1);
    check(new Error('x'));
  });
});
