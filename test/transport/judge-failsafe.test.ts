import { expect, test } from 'vitest';
import { judgeFailure } from '../../src/failures/judge.ts';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';
import { judgeFailsafe } from '../../src/transport/judge-failsafe.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';

const body = { response: { output: ['42'] }, reward: 1, task: 7, _ng_failure_class: 'stale' };
const provider = () =>
  new NgFailureEvent({ boundary: 'model', failureKind: 'provider_unavailable', failureReason: 'busy' });

async function verifyFailing(error: unknown) {
  return await RequestFailureLog.capture(async (log) => {
    const verify = judgeFailsafe(async (_body: typeof body): Promise<typeof body> => {
      throw error;
    });
    return { reply: await verify(body), log };
  });
}

test('a verdict passes through as it is, with the arguments and this of the call', async () => {
  class Server {
    readonly reward = 0.5;
    verify = judgeFailsafe(function (this: Server, given: typeof body, extra: number) {
      return { given, extra, reward: this.reward };
    });
  }
  expect(await new Server().verify(body, 3)).toEqual({ given: body, extra: 3, reward: 0.5 });
});

test('a judge failure becomes a masked zero beside the members of the request', async () => {
  const { reply } = await verifyFailing(judgeFailure({ cause: provider(), failureReason: 'the judge is busy' }));
  expect(reply).toEqual({
    response: { output: ['42'] },
    task: 7,
    reward: 0,
    mask_sample: true,
    failure_kind: 'judge_failed',
    failure_reason: 'the judge is busy',
    _ng_failure_class: 'judge_failed',
  });
});

test('an answer that cannot be read is classed as a failed judge, its event keeps its kind', async () => {
  const failure = judgeFailure({ failureKind: 'judge_unparseable', failureReason: 'no verdict' });
  const { reply, log } = await verifyFailing(failure);
  expect(reply).toMatchObject({ failure_kind: 'judge_failed', _ng_failure_class: 'judge_failed' });
  expect(log.report.events.get(failure.eventId)?.failure_kind).toBe('judge_unparseable');
});

test('the failure is observed for the request’s report with its provider cause, and the reply has no own failure', async () => {
  const cause = provider();
  const failure = judgeFailure({ cause });
  const { log } = await verifyFailing(new Error('verify broke', { cause: failure }));
  expect([...log.report.events.keys()]).toEqual([failure.eventId, cause.eventId]);
  expect(log.replyReport().failureId).toBeUndefined();
});

test('a standalone parser’s JudgeError is masked too, and an event of it is observed', async () => {
  const error = Object.assign(new Error('no score in "A+"'), { name: 'JudgeError' });
  const { reply, log } = await verifyFailing(error);
  expect(reply).toMatchObject({ reward: 0, failure_reason: 'no score in "A+"' });
  expect([...log.report.events.values()]).toMatchObject([{ failure_kind: 'judge_failed', stage: 'verification' }]);
});

test.each([
  ['an error', new TypeError('bug')] as const,
  ['another event', provider()] as const,
  ['text', 'x'] as const,
])('%s that is no judge’s is thrown on, the same one, and nothing is observed', async (_name, error) => {
  await RequestFailureLog.capture(async (log) => {
    const verify = judgeFailsafe(() => {
      throw error;
    });
    await expect(verify()).rejects.toBe(error);
    expect(log.isEmpty).toBe(true);
  });
});

test('a request that is no object gives the reply’s own members only', async () => {
  const verify = judgeFailsafe((_body: unknown) => {
    throw judgeFailure();
  });
  expect(Object.keys((await verify('text')) ?? {})).toHaveLength(5);
  expect(Object.keys((await verify(new Map([['secret', 1]]))) ?? {})).toHaveLength(5);
});

test('the request’s body is not changed', async () => {
  const before = structuredClone(body);
  await verifyFailing(judgeFailure());
  expect(body).toEqual(before);
});
