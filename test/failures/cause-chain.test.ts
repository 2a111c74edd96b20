import { describe, expect, it } from 'vitest';
import {
  explicitCauses,
  FailureReport,
  failureReportFor,
  findBoundaryFailure,
  NgFailureEvent,
  rebuildFailure,
} from '../../src/index.ts';

function event(reason: string, cause?: unknown, more: object = {}): NgFailureEvent {
  return new NgFailureEvent({
    boundary: 'agent',
    failureKind: 'agent_run_error',
    failureReason: reason,
    cause,
    ...more,
  });
}

/** A chain of so many plain errors over `cause`. */
function deep(links: number, cause?: unknown): unknown {
  let error = cause;
  for (let link = 0; link < links; link += 1) error = { cause: error };
  return error;
}

describe('explicitCauses', () => {
  it('gives the error and then each cause', () => {
    const inner = new Error('inner');
    const middle = { cause: inner };
    const outer = event('outer', middle);
    expect([...explicitCauses(outer)]).toEqual([outer, middle, inner]);
  });

  it('ends at nothing, at a cycle and after 30,000 links', () => {
    expect([...explicitCauses(undefined)]).toEqual([]);
    expect([...explicitCauses(null)]).toEqual([]);
    expect([...explicitCauses({ cause: null })]).toHaveLength(1);
    expect([...explicitCauses({ cause: 0 })]).toHaveLength(2);
    const cycle: { cause?: unknown } = {};
    cycle.cause = { cause: cycle };
    expect([...explicitCauses(cycle)]).toHaveLength(2);
    // The error itself and 30,000 links from it.
    expect([...explicitCauses(deep(100_000))]).toHaveLength(30_001);
  });
});

describe('failureReportFor', () => {
  it('links only explicit causes and names the outermost event', () => {
    const model = event('model');
    const agent = event('agent', model);
    const report = failureReportFor(new Error('wrapped', { cause: agent }));
    expect(report.failureId).toBe(agent.eventId);
    expect([...report.events.keys()]).toEqual([agent.eventId, model.eventId]);
    expect(report.events.get(agent.eventId)?.cause_id).toBe(model.eventId);
    expect(report.events.get(model.eventId)).not.toHaveProperty('cause_id');
    expect(FailureReport.parse(report.toJSON()).toJSON()).toEqual(report.toJSON());
  });

  it('is empty without an event', () => {
    for (const error of [new Error('x', { cause: new Error('y') }), 'text', 7, undefined, null, {}]) {
      expect(failureReportFor(error)).toBe(FailureReport.EMPTY);
    }
  });

  it('gives the facts of foreign errors to the nearest event above, the first one counting', () => {
    const low = event('low', new RangeError('below low', { cause: new Error('further below') }));
    const high = event('high', new TypeError('first', { cause: new RangeError('second', { cause: low }) }));
    const report = failureReportFor(new SyntaxError('above all', { cause: high }));
    expect(report.events.get(high.eventId)?.foreign_error).toEqual({ exception_type: 'TypeError', message: 'first' });
    expect(report.events.get(low.eventId)?.foreign_error).toEqual({
      exception_type: 'RangeError',
      message: 'below low',
    });
    expect(report.events.get(high.eventId)?.cause_id).toBe(low.eventId);
    expect(JSON.stringify(report)).not.toContain('above all');
    expect(high.toRecord().foreign_error?.message).toBe('first');
  });

  it('lets a foreign error that was given explicitly win', () => {
    const error = event('x', new Error('below'), { foreignError: { exceptionType: 'Chosen', message: 'chosen' } });
    expect(error.toRecord().foreign_error).toEqual({ exception_type: 'Chosen', message: 'chosen' });
  });

  it('borrows neither kind, reason, stage nor status from a cause', () => {
    const cause = event('cause', undefined, { failureKind: 'agent_timeout', stage: 'seed', httpStatus: 504 });
    const record = event('outer', cause).toRecord();
    expect(record).toMatchObject({ failure_kind: 'agent_run_error', failure_reason: 'outer' });
    expect(record).not.toHaveProperty('stage');
    expect(record).not.toHaveProperty('http_status');
  });

  it('lists an event once, also where its record was restored twice or it stands in a cycle', () => {
    const record = event('x').toRecord();
    const twice = NgFailureEvent.fromRecord(record, NgFailureEvent.fromRecord(record, new Error('below')));
    const report = failureReportFor(twice);
    expect(report.events.size).toBe(1);
    expect(report.events.get(record.event_id)).not.toHaveProperty('cause_id');
    const one = event('one');
    const two = event('two', one);
    Object.assign(one, { cause: two });
    expect(failureReportFor(two).events.size).toBe(2);
    expect(FailureReport.parse(failureReportFor(two).toJSON()).failureId).toBe(two.eventId);
  });

  it('is cut and omitted only beyond 30,000 links', () => {
    const bottom = event('bottom');
    expect(failureReportFor(deep(30_000, bottom)).omitted).toBe(false);
    expect(failureReportFor(deep(30_000, bottom)).failureId).toBe(bottom.eventId);
    expect(failureReportFor(deep(30_001, bottom)).toJSON()).toEqual({ omitted: true });
    const top = event('top', deep(100_000, bottom));
    expect(failureReportFor(top).omitted).toBe(true);
    expect([...failureReportFor(top).events.keys()]).toEqual([top.eventId]);
  });
});

describe('findBoundaryFailure', () => {
  it('finds the outermost event', () => {
    const inner = event('inner');
    const outer = event('outer', inner);
    expect(findBoundaryFailure({ cause: outer })).toBe(outer);
    expect(findBoundaryFailure(inner)).toBe(inner);
    expect(findBoundaryFailure(new Error('none'))).toBeUndefined();
  });
});

describe('rebuildFailure', () => {
  it('gives the same report again, with the ids and causes it had', () => {
    const error = event('outer', new Error('foreign', { cause: event('inner', new TypeError('below')) }));
    const report = failureReportFor(error);
    const rebuilt = rebuildFailure(report);
    expect(rebuilt?.eventId).toBe(error.eventId);
    expect(NgFailureEvent.is(rebuilt?.cause)).toBe(true);
    expect(failureReportFor(rebuilt).toJSON()).toEqual(report.toJSON());
  });

  it('gives nothing where the report names no failure', () => {
    expect(rebuildFailure(FailureReport.EMPTY)).toBeUndefined();
    expect(rebuildFailure(failureReportFor(event('x')).asObservations())).toBeUndefined();
  });

  it('rebuilds a long chain without recursion', () => {
    let error = event('innermost');
    for (let link = 0; link < 20_000; link += 1) error = event('next', error);
    const report = failureReportFor(error);
    expect(failureReportFor(rebuildFailure(report)).events.size).toBe(20_001);
  });
});
