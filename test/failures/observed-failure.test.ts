import { describe, expect, expectTypeOf, it } from 'vitest';
import { explicitCauses, failureReportFor, findBoundaryFailure } from '../../src/failures/cause-chain.ts';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';
import { rebuildFailure } from '../../src/failures/rebuild.ts';
import { FailureReport } from '../../src/records/failure-report.ts';
import { BOUNDARIES, STAGES } from '../../src/records/wire.ts';

const options = { boundary: 'model', failureKind: 'transport_timeout', failureReason: 'slow' } as const;
const caused = (cause: unknown) => new NgFailureEvent({ ...options, cause });
const make = (changed: object) => Reflect.construct(NgFailureEvent, [{ ...options, ...changed }]);

describe('a failure that was observed', () => {
  it('is the error that is raised and the record that travels, in one object', () => {
    const failure = new NgFailureEvent({
      ...options,
      stage: 'agent',
      operation: 'responses',
      httpStatus: 504,
      details: { attempt: 2 },
    });
    expect(failure).toBeInstanceOf(Error);
    expect([failure.name, failure.message]).toEqual(['NgFailureEvent', 'slow']);
    const record = failure.toRecord();
    expect(record).toEqual({
      event_id: failure.eventId,
      boundary: 'model',
      failure_kind: 'transport_timeout',
      failure_reason: 'slow',
      stage: 'agent',
      operation: 'responses',
      http_status: 504,
      details: { attempt: 2 },
    });
    expect(NgFailureEvent.fromRecord(record).toRecord()).toEqual(record);
    expect(JSON.parse(JSON.stringify(failure))).toEqual(record);
  });

  it('gets its id when it is made: 32 lower-case hex digits, never the same twice', () => {
    const ids = Array.from({ length: 100 }, () => new NgFailureEvent(options).eventId);
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each(BOUNDARIES)('can be of the boundary %s', (boundary) => {
    expect(new NgFailureEvent({ ...options, boundary }).toRecord().boundary).toBe(boundary);
  });

  it.each(STAGES)('can be of the stage %s', (stage) => {
    expect(new NgFailureEvent({ ...options, stage }).toRecord().stage).toBe(stage);
  });

  it('needs one of the six boundaries', () => {
    for (const boundary of [undefined, null, 'moon', 'Model']) {
      expect(() => make({ boundary })).toThrow(/boundary is .*use one of model, harness, agent/);
    }
  });

  it('needs a kind that is registered or namespaced, and the error says how to get one', () => {
    expect(make({ failureKind: 'browser_env:page_crashed' }).failureKind).toBe('browser_env:page_crashed');
    for (const failureKind of [undefined, 'gpu_on_fire', 'A:b', 'a:b:c', 'a:', 'judge_failed\n']) {
      expect(() => make({ failureKind })).toThrow(/Unknown failure kind .*registerFailureKinds\(\).*<server>:<kind>/);
    }
  });

  it('needs them in a record too, where an unknown kind moves into its own namespace', () => {
    const record = new NgFailureEvent(options).toRecord();
    expect(() => Reflect.apply(NgFailureEvent.fromRecord, undefined, [{ ...record, boundary: undefined }])).toThrow(
      /boundary/,
    );
    expect(NgFailureEvent.fromRecord({ ...record, failure_kind: 'gpu_on_fire' }).failureKind).toBe(
      'unregistered:gpu_on_fire',
    );
  });

  it('is told from others by boundary, kind and operation, as no boundary has a class of its own', () => {
    const error: unknown = new NgFailureEvent({ ...options, operation: 'responses' });
    if (!NgFailureEvent.is(error)) throw error;
    expect([error.boundary, error.failureKind, error.operation]).toEqual(['model', 'transport_timeout', 'responses']);
    expect(Object.getPrototypeOf(Object.getPrototypeOf(error))).toBe(Error.prototype);
  });
});

describe('what is chosen from a third-party error', () => {
  class SdkError extends Error {
    override readonly name = 'SdkError';
    readonly status = 429;
    readonly request = { body: 'the prompt' };
    readonly error = { payload: 'the payload' };
  }

  it('is its type, message and HTTP status, in the foreign_error of the nearest event above', () => {
    const inner = caused(new SdkError('slow down'));
    const outer = caused(inner);
    const { events } = failureReportFor(outer);
    expect(events.get(inner.eventId)?.foreign_error).toEqual({
      exception_type: 'SdkError',
      message: 'slow down',
      http_status: 429,
    });
    expect(events.get(outer.eventId)).not.toHaveProperty('foreign_error');
    expect(JSON.stringify([...events])).not.toMatch(/the prompt|the payload/);
  });

  it('is not the status of the event, which is of its own operation only', () => {
    expect(caused(new SdkError('x')).toRecord()).not.toHaveProperty('http_status');
  });

  it('never becomes an event of its own, also where no event stands above it', () => {
    expect(failureReportFor(new SdkError('x')).isEmpty).toBe(true);
    const inner = new NgFailureEvent(options);
    expect([...failureReportFor(new SdkError('x', { cause: inner })).events.values()]).toEqual([inner.toRecord()]);
  });

  it('keeps a visible mark where its message was cut, at 500 characters, and a reason’s at 2,000', () => {
    const failure = make({ failureReason: 'r'.repeat(3000), cause: new Error('😀'.repeat(600)) });
    const { failure_reason: reason, foreign_error: foreign } = failure.toRecord();
    expect([[...reason].length, [...(foreign?.message ?? '')].length]).toEqual([2000, 500]);
    expect(reason.endsWith('r...[truncated]') && foreign?.message.endsWith('😀...[truncated]')).toBe(true);
  });

  it('can be given explicitly, and then wins', () => {
    const failure = make({ foreignError: { exceptionType: 'Chosen', message: 'said so' }, cause: new SdkError('x') });
    expect(failure.toRecord().foreign_error).toEqual({ exception_type: 'Chosen', message: 'said so' });
  });
});

describe('the explicit causes of a failure', () => {
  it('become a report whose failure_id names the outermost, linked by cause_id', () => {
    const inner = new NgFailureEvent(options);
    const middle = caused(inner);
    const outer = caused(middle);
    const report = failureReportFor(outer);
    expect(report.failureId).toBe(outer.eventId);
    expect([...report.events.values()].map(({ event_id: id, cause_id: cause }) => [id, cause])).toEqual([
      [outer.eventId, middle.eventId],
      [middle.eventId, inner.eventId],
      [inner.eventId, undefined],
    ]);
  });

  it('stay linked below a foreign error between them, whose facts go to the event above', () => {
    const inner = new NgFailureEvent(options);
    const outer = caused(new RangeError('between', { cause: inner }));
    expect(failureReportFor(outer).events.get(outer.eventId)).toMatchObject({
      cause_id: inner.eventId,
      foreign_error: { exception_type: 'RangeError', message: 'between' },
    });
  });

  it('lend the outer event neither kind nor reason nor stage', () => {
    const inner = new NgFailureEvent({ ...options, stage: 'verification' });
    const outer = new NgFailureEvent({
      boundary: 'environment',
      failureKind: 'session_lost',
      failureReason: 'gone',
      cause: inner,
    });
    expect(outer.toRecord()).toEqual({
      event_id: outer.eventId,
      boundary: 'environment',
      failure_kind: 'session_lost',
      failure_reason: 'gone',
      cause_id: inner.eventId,
    });
  });

  it('are walked from the error itself, and the outermost event is the boundary’s failure', () => {
    const inner = new NgFailureEvent(options);
    const outer = new Error('outer', { cause: new Error('middle', { cause: inner }) });
    expect([...explicitCauses(outer)].map(String)).toEqual(['Error: outer', 'Error: middle', 'NgFailureEvent: slow']);
    expect(findBoundaryFailure(outer)).toBe(inner);
    expect(findBoundaryFailure(new Error('alone'))).toBeUndefined();
    expectTypeOf(findBoundaryFailure(outer)).toEqualTypeOf<NgFailureEvent | undefined>();
  });

  it('are rebuilt from a report with the same ids; a report without a failure_id gives none', () => {
    const report = failureReportFor(caused(new NgFailureEvent(options)));
    const rebuilt = rebuildFailure(FailureReport.parse(JSON.parse(JSON.stringify(report))));
    expect(failureReportFor(rebuilt).toJSON()).toEqual(report.toJSON());
    expect(rebuildFailure(report.asObservations())).toBeUndefined();
  });
});
