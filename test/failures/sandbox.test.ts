import { expect, test } from 'vitest';
import { failureReportFor } from '../../src/failures/cause-chain.ts';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';
import { sandboxFailure } from '../../src/failures/sandbox.ts';

test('a sandbox failure holds each fact that was given, in the wire’s names', () => {
  const failure = sandboxFailure({
    operation: 'exec',
    failureKind: 'provider_oom_killed',
    reason: 'the command was killed',
    sandboxId: 'sbx-1',
    executionId: 'exec-7',
    provider: 'pods',
    providerStatusReason: 'OOMKilled',
    exitCode: 137,
    httpStatus: 500,
  });
  expect(failure.toRecord()).toEqual({
    event_id: failure.eventId,
    boundary: 'environment',
    failure_kind: 'provider_oom_killed',
    failure_reason: 'the command was killed',
    operation: 'exec',
    http_status: 500,
    details: {
      sandbox_id: 'sbx-1',
      execution_id: 'exec-7',
      provider: 'pods',
      provider_status_reason: 'OOMKilled',
      exit_code: 137,
    },
  });
});

test('a fact that was not observed stays absent, and without facts there are no details', () => {
  expect(sandboxFailure({ operation: 'exec', failureKind: 'session_lost', exitCode: 0 }).details).toEqual({
    exit_code: 0,
  });
  const bare = sandboxFailure({ operation: 'create', failureKind: 'provider_unavailable' }).toRecord();
  expect(Object.keys(bare).sort()).toEqual(['boundary', 'event_id', 'failure_kind', 'failure_reason', 'operation']);
  expect(bare.failure_reason).toContain('create');
});

test('nothing is classified: kind, status and details come from the caller alone', () => {
  const cause = Object.assign(new Error('OOMKilled: exit code 137, HTTP 429 quota exceeded'), { status: 429 });
  const record = sandboxFailure({ operation: 'exec', failureKind: 'session_lost', cause }).toRecord();
  expect(record.failure_kind).toBe('session_lost');
  expect(record.failure_reason).not.toContain('OOMKilled');
  expect(record).not.toHaveProperty('http_status');
  expect(record).not.toHaveProperty('details');
  expect(record.foreign_error?.http_status).toBe(429);
});

test('a sandbox failure keeps its cause’s event under its own id', () => {
  const inner = new NgFailureEvent({ boundary: 'model', failureKind: 'transport_timeout', failureReason: 'slow' });
  const failure = sandboxFailure({ operation: 'exec', failureKind: 'session_lost', cause: inner });
  expect([...failureReportFor(failure).events.keys()]).toEqual([failure.eventId, inner.eventId]);
});

test('nothing instead of facts is named', () => {
  expect(() => Reflect.apply(sandboxFailure, undefined, [])).toThrow(
    /^sandboxFailure: its argument is undefined: give \{ operation, failureKind, … \}$/,
  );
});

test('another boundary and a stage can be said', () => {
  const failure = sandboxFailure({
    operation: 'exec',
    failureKind: 'judge_env:sandbox_died',
    boundary: 'resources_server',
    stage: 'verification',
  });
  expect(failure.toRecord()).toMatchObject({ boundary: 'resources_server', stage: 'verification' });
});

test.each([
  [{ failureKind: 'session_lost' }, /operation is undefined/],
  [{ operation: 'exec', failureKind: 'oom' }, /Unknown failure kind "oom".*registerFailureKinds/],
  [{ operation: 'exec', failureKind: 'session_lost', exitCode: 1.5 }, /exitCode is 1.5: give an integer/],
  [{ operation: 'exec', failureKind: 'session_lost', exitCode: '137' }, /exitCode is "137"/],
  [{ operation: 'exec', failureKind: 'session_lost', sandboxId: 9 }, /sandbox_id is 9: give a text/],
  [{ operation: 'exec', failureKind: 'session_lost', httpStatus: 99 }, /httpStatus is 99/],
])('%j is refused by name', (options, message) => {
  expect(() => Reflect.apply(sandboxFailure, undefined, [options])).toThrow(message);
});
