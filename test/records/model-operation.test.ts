import { describe, expect, it } from 'vitest';
import { readEpisodeFailure } from '../../src/records/episode-failure.ts';
import { readModelOperation } from '../../src/records/model-operation.ts';

describe('a model operation', () => {
  const full = {
    operation_id: 'op',
    outcome: 'failed',
    final_attempt_id: 'a',
    failure_id: 'f',
    http_attempts: 3,
    transport_failures: 0,
    retry_wait_s: 0.5,
    request_elapsed_ms: 12.5,
  };

  it('keeps what is set, frozen', () => {
    expect(readModelOperation(full)).toEqual(full);
    expect(Object.isFrozen(readModelOperation(full))).toBe(true);
    expect(
      readModelOperation({ operation_id: 'op', outcome: 'completed', failure_id: null, http_attempts: undefined }),
    ).toEqual({
      operation_id: 'op',
      outcome: 'completed',
    });
  });

  it.each<[string, object, RegExp]>([
    ['no id', { operation_id: '' }, /operation_id: .*""/],
    ['an odd outcome', { outcome: 'lost' }, /outcome: .*"lost"/],
    ['a fraction', { transport_failures: 1.5 }, /transport_failures/],
    ['text as a count', { http_attempts: '3' }, /http_attempts/],
    ['a boolean as a count', { transport_failures: true }, /transport_failures/],
    ['a negative count', { http_attempts: -1 }, /http_attempts: .*-1/],
    ['an endless wait', { retry_wait_s: Infinity }, /retry_wait_s/],
    ['no number', { request_elapsed_ms: Number.NaN }, /request_elapsed_ms/],
    ['an unknown member', { retries: 3 }, /retries/],
  ])('refuses %s', (_what, change, message) => {
    expect(() => readModelOperation({ ...full, ...change })).toThrow(TypeError);
    expect(() => readModelOperation({ ...full, ...change })).toThrow(message);
  });
});

describe('an episode failure', () => {
  const full = { failure_reason: 'x', terminal: true, failure_kind: 'judge_failed', stage: 'verification' };

  it('has its four members and no others', () => {
    expect(readEpisodeFailure(full)).toEqual(full);
    expect(readEpisodeFailure({ failure_reason: 'x', terminal: false, stage: null })).toEqual({
      failure_reason: 'x',
      terminal: false,
    });
    expect(readEpisodeFailure({ ...full, failure_kind: 'gpu_on_fire' }).failure_kind).toBe('unregistered:gpu_on_fire');
    expect([...readEpisodeFailure({ ...full, failure_reason: '😀'.repeat(2001) }).failure_reason]).toHaveLength(2000);
  });

  it.each<[string, unknown, RegExp]>([
    ['an unknown member', { ...full, failure_report: {} }, /failure_report/],
    ['no reason', { terminal: true }, /failure_reason/],
    ['terminal that is no boolean', { ...full, terminal: 1 }, /terminal/],
    ['an odd kind', { ...full, failure_kind: 'Odd Kind' }, /failure_kind: .*"Odd Kind"/],
    ['an odd stage', { ...full, stage: 'lunch' }, /stage: .*"lunch"/],
    ['a list', [], /expected an object, got an array/],
  ])('refuses %s', (_what, value, message) => {
    expect(() => readEpisodeFailure(value)).toThrow(TypeError);
    expect(() => readEpisodeFailure(value)).toThrow(message);
  });
});
