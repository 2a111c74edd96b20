import { NgFailureEvent, observeFailure } from 'opentelemetry-instrumentation-nemo-gym';
import { post, rolloutUrl } from './gym-client.ts';
import { textOf } from './responses-dialect.ts';
import { peer } from './serve.ts';
import type { Task } from './task.ts';

const MODEL_URL = peer('MODEL_URL');

export type Answered = Task & { readonly response: Record<string, unknown> };

/** What `/verify` answers: what it was asked, with a reward. */
export async function verify(rolloutId: string, body: Answered): Promise<Record<string, unknown>> {
  if (!textOf(body.response).includes(body.expected_answer)) return { ...body, reward: 0 };
  try {
    return { ...body, reward: await judge(rolloutId, body) };
  } catch (error) {
    if (body.script.verify === 'strict') throw verifierError(error);
    if (!NgFailureEvent.is(error)) throw error;
    // Without a verdict the sample says nothing: it is masked, and the failure stays beside it.
    observeFailure(error);
    return {
      ...body,
      reward: 0.0,
      mask_sample: true,
      failure_kind: error.failureKind,
      failure_reason: error.failureReason,
      _ng_failure_class: error.failureKind,
    };
  }
}

/** 1 when the judge finds both answers equal, else 0. */
async function judge(rolloutId: string, { expected_answer, response, script }: Answered): Promise<number> {
  const reply = await post(`${rolloutUrl(MODEL_URL, rolloutId)}/v1/responses`, {
    input: `A: ${expected_answer}\nB: ${textOf(response)}\nAnswer [[A=B]] or [[A!=B]].`,
    metadata: { role: 'judge', acts: script.judge.join(',') },
  }).catch((error: unknown) => {
    throw judgeError('judge_failed', 'The judge did not answer', error);
  });
  const verdict = /\[\[A(!?=)B\]\]/.exec(textOf(reply))?.[1];
  if (verdict === undefined) throw judgeError('judge_unparseable', 'The judge gave no verdict');
  return verdict === '=' ? 1 : 0;
}

function judgeError(failureKind: 'judge_failed' | 'judge_unparseable', failureReason: string, cause?: unknown) {
  return new NgFailureEvent({
    boundary: 'resources_server',
    failureKind,
    failureReason,
    stage: 'verification',
    operation: 'verify',
    cause,
  });
}

function verifierError(cause: unknown): NgFailureEvent {
  return new NgFailureEvent({
    boundary: 'resources_server',
    failureKind: 'verifier_error',
    failureReason: 'The answer could not be verified',
    stage: 'verification',
    operation: 'verify',
    cause,
  });
}
