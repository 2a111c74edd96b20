import { expect, test } from 'vitest';
import { failureReportFor } from '../../src/failures/cause-chain.ts';
import { judgeFailure, judgeFailureIn } from '../../src/failures/judge.ts';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';

const provider = () =>
  new NgFailureEvent({
    boundary: 'model',
    failureKind: 'provider_unavailable',
    failureReason: 'busy',
    httpStatus: 503,
  });

class JudgeError extends Error {}

test('a judge failure is the resources server’s judge_failed above its provider cause', () => {
  const cause = provider();
  const failure = judgeFailure({ cause });
  const report = failureReportFor(failure);
  expect(report.events.get(failure.eventId)).toEqual({
    event_id: failure.eventId,
    boundary: 'resources_server',
    failure_kind: 'judge_failed',
    failure_reason: 'The judge call failed',
    stage: 'verification',
    operation: 'verify',
    cause_id: cause.eventId,
  });
  expect(report.events.get(cause.eventId)?.failure_kind).toBe('provider_unavailable');
});

test('a judge failure’s own members can be said', () => {
  const failure = judgeFailure({
    failureKind: 'judge_unparseable',
    failureReason: 'no verdict in 3 answers',
    operation: 'grade',
    stage: 'agent',
    httpStatus: 502,
    details: { attempts: 3 },
  });
  expect(failure.toRecord()).toMatchObject({
    failure_kind: 'judge_unparseable',
    failure_reason: 'no verdict in 3 answers',
    operation: 'grade',
    stage: 'agent',
    http_status: 502,
    details: { attempts: 3 },
  });
});

test('a kind that is no judge’s is refused', () => {
  expect(() => Reflect.apply(judgeFailure, undefined, [{ failureKind: 'cancelled' }])).toThrow(
    /failureKind is "cancelled": use one of judge_failed, judge_unparseable/,
  );
});

test('a judge event is found anywhere in the explicit chain, the whole of which is observed', () => {
  const judge = judgeFailure({ cause: provider(), failureKind: 'judge_unparseable' });
  const error = new Error('verify broke', { cause: new Error('grading broke', { cause: judge }) });
  expect(judgeFailureIn(error)).toEqual({ event: judge, observed: error });
});

test('a parser’s JudgeError without an event becomes one, with its message and its causes', () => {
  const cause = provider();
  const parser = new JudgeError('no verdict: token=abcdef012345', { cause });
  const found = judgeFailureIn(parser);
  expect(found?.event.failureKind).toBe('judge_failed');
  expect(found?.event.failureReason).toBe('no verdict: token=***');
  expect(found?.event.toRecord()).toMatchObject({
    cause_id: cause.eventId,
    foreign_error: { exception_type: 'JudgeError' },
  });
  expect(found?.observed).toBe(found?.event);
});

test.each([
  ['of that class', new JudgeError('x')],
  ['of a class below it', new (class ScoreParserError extends JudgeError {})('x')],
  ['of that name', Object.assign(new Error('x'), { name: 'JudgeError' })],
  ['inside a plain error', new Error('verify broke', { cause: new JudgeError('x') })],
])('an error %s is a judge’s failure', (_name, error) => {
  expect(judgeFailureIn(error)?.event.failureReason).toBe('x');
});

test('of parser errors inside each other the outermost gives the reason', () => {
  const error = new JudgeError('gave up after 3', { cause: new JudgeError('no score') });
  expect(judgeFailureIn(error)?.event.failureReason).toBe('gave up after 3');
});

test('a parser’s error without a message still gives a reason', () => {
  expect(judgeFailureIn(new JudgeError())?.event.failureReason).toBe('The judge call failed');
});

test('a parser’s error below an event is that event’s cause and no judge’s failure', () => {
  const verifier = new NgFailureEvent({
    boundary: 'resources_server',
    failureKind: 'verifier_error',
    failureReason: 'bad rubric',
    cause: new JudgeError('x'),
  });
  expect(judgeFailureIn(verifier)).toBeUndefined();
});

test.each([new Error('x'), provider(), 'JudgeError', null, undefined, { name: 'Judge' }])(
  '%s is no judge’s failure',
  (error) => {
    expect(judgeFailureIn(error)).toBeUndefined();
  },
);

test('hostile errors are looked at without a throw or a hang', () => {
  const refuse = () => {
    throw new Error('no');
  };
  const endless: object = new Proxy({}, { getPrototypeOf: () => endless, get: () => undefined });
  const cyclic = new Error('a');
  cyclic.cause = new Error('b', { cause: cyclic });
  for (const error of [new Proxy({}, { get: refuse, getPrototypeOf: refuse }), endless, cyclic]) {
    expect(judgeFailureIn(error)).toBeUndefined();
  }
});
