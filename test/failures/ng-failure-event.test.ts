import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { FailureReport, failureReportFor, NgFailureEvent, type NgFailureEventOptions } from '../../src/index.ts';

const options: NgFailureEventOptions = {
  boundary: 'model',
  failureKind: 'transport_timeout',
  failureReason: 'no answer',
};
const MARKER = '...[truncated]';

describe('new NgFailureEvent', () => {
  it('is an error with an id, and its fields are those of its record', () => {
    const cause = new Error('read timed out');
    const error = new NgFailureEvent({
      ...options,
      stage: 'agent',
      operation: 'responses',
      httpStatus: 504,
      foreignError: { exceptionType: 'TimeoutError', message: 'm', httpStatus: 408 },
      details: { attempt: 2 },
      cause,
    });
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('NgFailureEvent');
    expect(error.message).toBe('no answer');
    expect(error.cause).toBe(cause);
    expect(error.eventId).toMatch(/^[0-9a-f]{32}$/);
    expect(error.toRecord()).toEqual({
      event_id: error.eventId,
      boundary: 'model',
      failure_kind: 'transport_timeout',
      failure_reason: 'no answer',
      stage: 'agent',
      operation: 'responses',
      http_status: 504,
      foreign_error: { exception_type: 'TimeoutError', message: 'm', http_status: 408 },
      details: { attempt: 2 },
    });
    expect(JSON.parse(JSON.stringify(error))).toEqual(error.toRecord());
    expect(new NgFailureEvent(options).eventId).not.toBe(error.eventId);
  });

  it('writes no member that is not set', () => {
    const error = new NgFailureEvent({ ...options, stage: undefined, operation: undefined, details: undefined });
    expect(Object.keys(error.toRecord())).toEqual(['event_id', 'boundary', 'failure_kind', 'failure_reason']);
    expect('stage' in error || 'httpStatus' in error || 'foreignError' in error || 'httpError' in error).toBe(false);
  });

  it.each<[what: string, change: object, message: RegExp]>([
    ['kind', { failureKind: 'gpu_on_fire' }, /"gpu_on_fire".*registerFailureKinds\(\).*"<server>:<kind>"/],
    ['kind of no form', { failureKind: 'judge_failed\n' }, /"judge_failed\\n".*registerFailureKinds/],
    ['kind that is no text', { failureKind: 7 }, /kind 7/],
    ['boundary', { boundary: 'kernel' }, /boundary is "kernel": use one of model, harness/],
    ['stage', { stage: 'lunch' }, /stage is "lunch": use one of admission, seed/],
    ['reason', { failureReason: undefined }, /failureReason is undefined: give a text/],
    [
      'reason by its wire name',
      { failureReason: undefined, failure_reason: 'x' },
      /failureReason is undefined: there is failure_reason; did you mean failureReason\?/,
    ],
    [
      'kind by its wire name',
      { failureKind: undefined, failure_kind: 'cancelled' },
      /failureKind is undefined: there is failure_kind; did you mean failureKind\?/,
    ],
    ['operation', { operation: 3 }, /operation is 3: give a text/],
    ['status', { httpStatus: 99 }, /httpStatus is 99: give an integer 100–599/],
    ['status with a fraction', { httpStatus: 404.5 }, /httpStatus is 404\.5/],
    ['details', { details: [] }, /details is an array: give an object/],
    ['foreign error', { foreignError: 'timeout' }, /foreignError is "timeout": give \{ exceptionType, message/],
    ['foreign type', { foreignError: { exceptionType: '', message: 'm' } }, /foreignError\.exceptionType is ""/],
    ['foreign message', { foreignError: { exceptionType: 'E', message: 3 } }, /foreignError\.message is 3/],
    ['foreign status', { foreignError: { exception_type: 'E', message: '', http_status: 600 } }, /httpStatus is 600/],
  ])('refuses an invalid %s by value and remedy', (_what, change, message) => {
    const invalid = Object.assign({}, options, change);
    expect(() => new NgFailureEvent(invalid)).toThrow(TypeError);
    expect(() => new NgFailureEvent(invalid)).toThrow(message);
  });

  it.each(['browser_env:page_crashed', 'unregistered:gpu_on_fire', 'a:b', 'a1_:b_2'])(
    'takes the kind %s',
    (failureKind) => {
      expect(new NgFailureEvent({ ...options, failureKind }).toRecord().failure_kind).toBe(failureKind);
    },
  );

  it.each(['a:', ':b', 'a:b:c', 'A:b', '1a:b', 'a-b:c', 'a:b ', ''])('refuses the kind %j', (failureKind) => {
    expect(() => new NgFailureEvent({ ...options, failureKind })).toThrow(/Unknown failure kind/);
  });
});

describe('long and odd text', () => {
  const reasonOf = (failureReason: string): string => new NgFailureEvent({ ...options, failureReason }).failureReason;

  it('keeps 2,000 code points of a reason whole, the marker inside the budget over that', () => {
    expect(reasonOf('x'.repeat(2000))).toBe('x'.repeat(2000));
    expect(reasonOf('x'.repeat(2001))).toBe('x'.repeat(2000 - MARKER.length) + MARKER);
    // As Python counts: one for each 😀, which JavaScript counts as two.
    expect(reasonOf('😀'.repeat(2000))).toBe('😀'.repeat(2000));
    expect(reasonOf('😀'.repeat(2001))).toBe('😀'.repeat(2000 - MARKER.length) + MARKER);
    expect(reasonOf(`${'😀'.repeat(1999)}xy`)).toBe('😀'.repeat(2000 - MARKER.length) + MARKER);
  });

  it('keeps 500 code points of a foreign message', () => {
    const messageOf = (message: string): string | undefined =>
      new NgFailureEvent({ ...options, foreignError: { exceptionType: 'E', message } }).foreignError?.message;
    expect(messageOf('é'.repeat(500))).toBe('é'.repeat(500));
    expect([...(messageOf('😀'.repeat(501)) ?? '')]).toHaveLength(500);
    expect(messageOf('😀'.repeat(501))).toBe('😀'.repeat(500 - MARKER.length) + MARKER);
  });

  it('is always well-formed', () => {
    expect(reasonOf('a\ud800b')).toBe('a\ufffdb');
    const error = new NgFailureEvent({
      ...options,
      operation: '\udc00',
      foreignError: { exceptionType: '\ud800E', message: '\ud800' },
      details: { '\ud800': ['\udfff'] },
    });
    expect(JSON.stringify(error)).not.toMatch(/\\ud[89a-f]/i);
    expect(FailureReport.parse({ events: { [error.eventId]: error.toRecord() } }).events.size).toBe(1);
  });
});

describe('NgFailureEvent.fromRecord', () => {
  const record = { event_id: 'a1', boundary: 'model', failure_kind: 'cancelled', failure_reason: 'x' } as const;

  it('comes back the same, unknown members included, and is immutable', () => {
    const given = { ...record, shard: { n: 7 }, foreign_error: { exception_type: 'E', message: 'm', code: 'E1' } };
    const error = NgFailureEvent.fromRecord(given);
    expect(error.toRecord()).toEqual(given);
    given.shard.n = 8;
    expect(error.toRecord()).not.toEqual(given);
    expect(Object.isFrozen(error.toRecord()) && Object.isFrozen(error.foreignError)).toBe(true);
  });

  it('keeps a kind that is not registered here in the unregistered namespace', () => {
    expect(NgFailureEvent.fromRecord({ ...record, failure_kind: 'gpu_on_fire' }).failureKind).toBe(
      'unregistered:gpu_on_fire',
    );
  });

  it('leaves a cause_id that resolves to no cause out of reports, and keeps it in its record', () => {
    const error = NgFailureEvent.fromRecord({ ...record, cause_id: 'gone' });
    expect(failureReportFor(error).events.get('a1')).toEqual(record);
    expect(error.toRecord().cause_id).toBe('gone');
    const linked = NgFailureEvent.fromRecord({ ...record, cause_id: 'gone' }, new NgFailureEvent(options));
    expect(failureReportFor(linked).events.size).toBe(2);
    expect(FailureReport.parse(failureReportFor(linked).toJSON()).failureId).toBe('a1');
  });

  it.each<[what: string, value: unknown, message: RegExp]>([
    ['nothing', undefined, /record: undefined has no form in JSON/],
    ['no id', { ...record, event_id: '' }, /event_id must be non-empty text, got ""/],
    ['an unknown boundary', { ...record, boundary: 'kernel' }, /boundary: .*"kernel"/],
    [
      'a getter that throws',
      {
        ...record,
        get stage(): never {
          throw new Error('odd getter');
        },
      },
      /odd getter/,
    ],
    [
      'a getter that throws no error',
      {
        ...record,
        get stage(): never {
          throw null;
        },
      },
      /Cannot make an NgFailureEvent: null/,
    ],
    ['a lone surrogate', { ...record, failure_reason: '\ud800' }, /record\.failure_reason: .*lone surrogate/],
    ['too many levels', { ...record, details: { d: JSON.parse('['.repeat(97) + ']'.repeat(97)) } }, /over 100 levels/],
  ])('refuses %s', (_what, value, message) => {
    const make = (): unknown => Reflect.apply(NgFailureEvent.fromRecord, NgFailureEvent, [value]);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
    // A failed attempt leaves nothing behind for the next event.
    expect(new NgFailureEvent(options).failureReason).toBe('no answer');
  });
});

describe('NgFailureEvent.is', () => {
  class AgentFailure extends NgFailureEvent {}

  it('knows events, those of subclasses too, and nothing else', () => {
    expect(NgFailureEvent.is(new NgFailureEvent(options))).toBe(true);
    const special = new AgentFailure(options);
    expect(NgFailureEvent.is(special) && special instanceof AgentFailure).toBe(true);
    expect(failureReportFor(special).failureId).toBe(special.eventId);
    const others: unknown[] = [undefined, null, 'x', new Error('x'), {}, runInNewContext('new Error("x")')];
    others.push(Object.create(NgFailureEvent.prototype), { ...special });
    for (const other of others) expect(NgFailureEvent.is(other)).toBe(false);
  });
});
