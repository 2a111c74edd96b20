import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { failureReportFor } from '../../src/failures/cause-chain.ts';
import { handledEpisodeFailure, isHandledEpisodeFailure } from '../../src/failures/episode.ts';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';

const trajectory = { steps: [{ action: 'open the secret page' }] };

test('a handled episode failure is an event with the environment’s decision beside it', () => {
  const failure = handledEpisodeFailure({
    failureKind: 'browser_env:page_crashed',
    failureReason: 'the page crashed',
    stage: 'agent',
    operation: 'run',
    httpStatus: 500,
    terminal: false,
    partial: trajectory,
  });
  expect(failure).toBeInstanceOf(NgFailureEvent);
  expect(isHandledEpisodeFailure(failure)).toBe(true);
  expect(failure.terminal).toBe(false);
  expect(failure.partial).toBe(trajectory);
  expect(failure.toRecord()).toEqual({
    event_id: failure.eventId,
    boundary: 'environment',
    failure_kind: 'browser_env:page_crashed',
    failure_reason: 'the page crashed',
    stage: 'agent',
    operation: 'run',
    http_status: 500,
  });
});

test('terminal and partial are in no record, report, JSON or printed error', () => {
  const failure = handledEpisodeFailure({
    failureKind: 'session_lost',
    failureReason: 'gone',
    terminal: true,
    partial: trajectory,
  });
  const outer = new NgFailureEvent({
    boundary: 'collection',
    failureKind: 'cancelled',
    failureReason: 'stopped',
    cause: failure,
  });
  const said = JSON.stringify([failure.toRecord(), failure, failureReportFor(outer)]) + inspect(outer, { depth: 9 });
  expect(said).toContain(failure.eventId);
  expect(said).not.toMatch(/terminal|partial|secret page/);
});

test('another boundary can be said, and evidence that is empty is evidence', () => {
  const failure = handledEpisodeFailure({
    boundary: 'resources_server',
    failureKind: 'verifier_error',
    failureReason: 'no score',
    terminal: false,
    partial: null,
  });
  expect([failure.boundary, failure.partial]).toEqual(['resources_server', null]);
});

test('kind, reason and stage are the environment’s own, whatever the cause has', () => {
  const cause = new NgFailureEvent({
    boundary: 'resources_server',
    failureKind: 'judge_failed',
    failureReason: 'no verdict',
    stage: 'verification',
  });
  const failure = handledEpisodeFailure({ failureKind: 'session_lost', failureReason: 'gone', terminal: true, cause });
  expect(failure.toRecord()).toMatchObject({
    failure_kind: 'session_lost',
    failure_reason: 'gone',
    cause_id: cause.eventId,
  });
  expect(failure.stage).toBeUndefined();
});

test.each([undefined, null, 'yes', 1])('a terminal of %j is refused by name', (terminal) => {
  const options = { failureKind: 'session_lost', failureReason: 'gone', terminal };
  expect(() => Reflect.apply(handledEpisodeFailure, undefined, [options])).toThrow(
    /handledEpisodeFailure: terminal is .*: say true or false/,
  );
});

test('only what handledEpisodeFailure made is handled, not an error around it or a look-alike', () => {
  const failure = handledEpisodeFailure({ failureKind: 'session_lost', failureReason: 'gone', terminal: true });
  const event = new NgFailureEvent({ boundary: 'environment', failureKind: 'session_lost', failureReason: 'gone' });
  const hostile = new Proxy(failure, {
    get: () => {
      throw new Error('no');
    },
  });
  const alike = [event, new Error('around', { cause: failure }), { ...failure, terminal: true }, hostile, null, 'text'];
  expect(alike.map(isHandledEpisodeFailure)).toEqual(alike.map(() => false));
  expect(isHandledEpisodeFailure(NgFailureEvent.fromRecord(failure.toRecord()))).toBe(false);
});

test('two copies of the package know each other’s handled failures and read their decision', async () => {
  vi.resetModules();
  const other = await import('../../src/failures/episode.ts');
  expect(other.isHandledEpisodeFailure).not.toBe(isHandledEpisodeFailure);
  const options = { failureKind: 'session_lost', failureReason: 'gone', terminal: true, partial: trajectory };
  const theirs: unknown = other.handledEpisodeFailure(options);
  expect(isHandledEpisodeFailure(theirs) && theirs.terminal && theirs.partial).toBe(trajectory);
  expect(other.isHandledEpisodeFailure(handledEpisodeFailure(options))).toBe(true);
});
