import { judgeFailsafe, judgeFailure, NgFailureEvent } from 'opentelemetry-instrumentation-nemo-gym';
import { post, rolloutUrl } from './gym-client.ts';
import { textOf } from './responses-dialect.ts';
import { peer } from './serve.ts';
import type { Task } from './task.ts';

const MODEL_URL = peer('MODEL_URL');

export type Answered = Task & { readonly response: Record<string, unknown> };

/** What `/verify` answers: what it was asked, with a reward. */
export function verify(body: Answered, rolloutId: string): Promise<Record<string, unknown>> {
  return body.script.verify === 'strict' ? verifyStrictly(body, rolloutId) : verifyOrMask(body, rolloutId);
}

async function reward(body: Answered, rolloutId: string): Promise<Record<string, unknown>> {
  const right = textOf(body.response).includes(body.expected_answer);
  return { ...body, reward: right ? await judge(body, rolloutId) : 0 };
}

/** Without a verdict the sample says nothing: it is masked, and the failure stays beside it. */
const verifyOrMask = judgeFailsafe(reward);

async function verifyStrictly(body: Answered, rolloutId: string): Promise<Record<string, unknown>> {
  try {
    return await reward(body, rolloutId);
  } catch (cause) {
    throw new NgFailureEvent({
      boundary: 'resources_server',
      failureKind: 'verifier_error',
      failureReason: 'The answer could not be verified',
      stage: 'verification',
      operation: 'verify',
      cause,
    });
  }
}

/** 1 when the judge finds both answers equal, else 0. */
async function judge({ expected_answer, response, script }: Answered, rolloutId: string): Promise<number> {
  const reply = await post(`${rolloutUrl(MODEL_URL, rolloutId)}/v1/responses`, {
    input: `A: ${expected_answer}\nB: ${textOf(response)}\nAnswer [[A=B]] or [[A!=B]].`,
    metadata: { role: 'judge', acts: script.judge.join(',') },
  }).catch((cause: unknown) => {
    throw judgeFailure({ cause });
  });
  const verdict = /\[\[A(!?=)B\]\]/.exec(textOf(reply))?.[1];
  if (verdict === undefined) {
    throw judgeFailure({ failureKind: 'judge_unparseable', failureReason: 'The judge gave no verdict' });
  }
  return verdict === '=' ? 1 : 0;
}
