import { expect, test, vi } from 'vitest';
import { handledEpisodeFailure } from '../../src/failures/episode.ts';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';
import { FailureReport } from '../../src/records/failure-report.ts';
import { FAILURES_CHANNEL, type FailuresObserved } from '../../src/transport/announce.ts';
import { episodeFailureResponse } from '../../src/transport/episode-response.ts';
import { failRequest, observeFailure } from '../../src/transport/observe.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';

const model = () => new NgFailureEvent({ boundary: 'model', failureKind: 'transport_timeout', failureReason: 'slow' });
const crashed = (options: { terminal?: boolean; partial?: unknown; cause?: unknown } = {}) =>
  handledEpisodeFailure({
    failureKind: 'browser_env:page_crashed',
    failureReason: 'the page crashed',
    stage: 'agent',
    terminal: true,
    ...options,
  });

test('the envelope has the failure’s four members and the report stands beside it', () => {
  const cause = model();
  const failure = crashed({ cause });
  const response = episodeFailureResponse(failure);
  expect(Object.keys(response).sort()).toEqual(['failure', 'failure_report']);
  expect(response.failure).toEqual({
    failure_reason: 'the page crashed',
    terminal: true,
    failure_kind: 'browser_env:page_crashed',
    stage: 'agent',
  });
  const report = FailureReport.parse(JSON.parse(JSON.stringify(response.failure_report)));
  expect(report.failureId).toBe(failure.eventId);
  expect([...report.events.keys()]).toEqual([failure.eventId, cause.eventId]);
});

test('a stage that was not said is not borrowed from the cause', () => {
  const cause = new NgFailureEvent({
    boundary: 'resources_server',
    failureKind: 'judge_failed',
    failureReason: 'no verdict',
    stage: 'verification',
  });
  const failure = handledEpisodeFailure({ failureKind: 'session_lost', failureReason: 'gone', terminal: false, cause });
  expect(episodeFailureResponse(failure).failure).toEqual({
    failure_reason: 'gone',
    terminal: false,
    failure_kind: 'session_lost',
  });
});

test('what cleanup observes after the failure was made is in the report', () => {
  RequestFailureLog.capture(() => {
    const failure = crashed();
    const late = new NgFailureEvent({
      boundary: 'environment',
      failureKind: 'session_release_failed',
      failureReason: 'still held',
      stage: 'cleanup',
    });
    observeFailure(late);
    expect(Object.keys(episodeFailureResponse(failure).failure_report.events ?? {})).toEqual([
      failure.eventId,
      late.eventId,
    ]);
  });
});

test('partial evidence and further members stand beside the failure, never in it and never over it', () => {
  const failure = crashed({ partial: { trajectory: ['step 1'], episode_id: 'old' } });
  const response = episodeFailureResponse(failure, { episode_id: 'e1', failure: 'mine', failure_report: 'mine' });
  expect(response).toMatchObject({ trajectory: ['step 1'], episode_id: 'e1', failure: { terminal: true } });
  expect(JSON.stringify([response.failure, response.failure_report])).not.toMatch(/step 1|mine|partial/);
  expect(response.failure_report.failure_id).toBe(failure.eventId);
});

test('the failure is observed once, so that the reply and its traces have it', () => {
  const seen: FailuresObserved[] = [];
  const listen = (message: unknown) => seen.push(message as FailuresObserved);
  FAILURES_CHANNEL.subscribe(listen);
  try {
    RequestFailureLog.capture((log) => {
      const failure = crashed();
      episodeFailureResponse(failure);
      expect(log.report.events.has(failure.eventId)).toBe(true);
      expect(seen.map(({ origin, error }) => [origin, error])).toEqual([['attempt', failure]]);
    });
  } finally {
    FAILURES_CHANNEL.unsubscribe(listen);
  }
});

test('a failure that failRequest named is not told as an attempt beside', () => {
  RequestFailureLog.capture((log) => {
    const failure = crashed();
    failRequest(failure);
    expect(episodeFailureResponse(failure).failure_report.failure_id).toBe(failure.eventId);
    expect(log.report.isEmpty).toBe(true);
  });
});

test.each([model(), new Error('x'), null, { terminal: true }])('%s is refused by name', (failure) => {
  expect(() => Reflect.apply(episodeFailureResponse, undefined, [failure])).toThrow(
    /make it with handledEpisodeFailure/,
  );
});

test('a failure that another copy of the package made is answered the same', async () => {
  vi.resetModules();
  const other = await import('../../src/failures/episode.ts');
  const theirs: unknown = other.handledEpisodeFailure({
    failureKind: 'session_lost',
    failureReason: 'gone',
    terminal: true,
    partial: { trajectory: [1] },
  });
  const response: unknown = Reflect.apply(episodeFailureResponse, undefined, [theirs]);
  expect(response).toMatchObject({ failure: { failure_reason: 'gone', terminal: true }, trajectory: [1] });
});
