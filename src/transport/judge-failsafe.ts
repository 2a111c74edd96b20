import { judgeFailureIn } from '../failures/judge.ts';
import { isPlainObject } from '../records/json.ts';
import { JUDGE_FAILED, JUDGE_FAILURE_CLASS, JUDGE_MASK_SAMPLE, JUDGE_REWARD } from '../records/wire.ts';
import { observeFailure } from './observe.ts';

/** What a verification without a verdict answers, beside the members of its request. */
export interface JudgeFailsafeReply {
  /** No verdict earns nothing; it is masked, too. */
  readonly [JUDGE_REWARD]: 0;
  /** Keeps the rollout out of training: it is no wrong answer. */
  readonly [JUDGE_MASK_SAMPLE]: true;
  /** Always `judge_failed`, also for an answer that could not be read. */
  readonly failure_kind: typeof JUDGE_FAILED;
  /** Text for people, at most 2,000 code points. */
  readonly failure_reason: string;
  /** Gym's class of the failure, by which rows are counted. */
  readonly [JUDGE_FAILURE_CLASS]: typeof JUDGE_FAILED;
}

/** The reply and the members of the request's body. */
export type MaskedReply = Readonly<Record<string, unknown>> & JudgeFailsafeReply;

/**
 * Wraps a `verify` function so that a judge without a verdict becomes a reply with HTTP 200 and no error: the members
 * of the request's body (the answer is not lost), a reward of zero that is masked, and the judge's reason. Such a
 * failure is a `judge_failed` or `judge_unparseable` event in the error's chain, or a parser's error of the class
 * `JudgeError`; it is observed for the request's report. Any other error is thrown on as it is.
 *
 * @param verify - its first argument is the request's body
 */
export function judgeFailsafe<This, Args extends unknown[], R>(
  verify: (this: This, ...args: Args) => R | Promise<R>,
): (this: This, ...args: Args) => Promise<R | MaskedReply> {
  return async function verifyOrMask(this: This, ...args: Args): Promise<R | MaskedReply> {
    try {
      return await verify.apply(this, args);
    } catch (error) {
      const found = judgeFailureIn(error);
      if (found === undefined) throw error;
      observeFailure(found.observed);
      const [body] = args;
      return { ...(isPlainObject(body) ? body : undefined), ...replyFor(found.event.failureReason) };
    }
  };
}

function replyFor(reason: string): JudgeFailsafeReply {
  return {
    [JUDGE_REWARD]: 0,
    [JUDGE_MASK_SAMPLE]: true,
    failure_kind: JUDGE_FAILED,
    failure_reason: reason,
    [JUDGE_FAILURE_CLASS]: JUDGE_FAILED,
  };
}
