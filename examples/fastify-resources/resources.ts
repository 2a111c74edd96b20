/**
 * A resources server with Fastify. `/verify` asks a judge; where the judge gives no verdict the sample is masked and the
 * reply is no error: its report tells why.
 */
import fastify from 'fastify';
import {
  judgeFailsafe,
  judgeFailure,
  NgFailureEvent,
  raiseBoundaryFailure,
} from 'opentelemetry-instrumentation-nemo-gym';
import { failureReports } from 'opentelemetry-instrumentation-nemo-gym/fastify';

const { MODEL_URL = 'http://127.0.0.1:3001', JUDGE_MODEL = 'judge', PORT = '3002' } = process.env;

/** What `/verify` is asked: the task, and what the model answered. */
interface Answered {
  readonly expected_answer: string;
  readonly response?: ModelResponse;
}
interface ModelResponse {
  readonly output?: readonly { readonly content?: readonly { readonly text?: string }[] }[];
}

const app = fastify({ bodyLimit: 10 * 1024 * 1024 });
// The one line, before routes and other plugins: what they throw becomes the reply's own failure.
app.register(failureReports);

app.post('/ng-rollout/:rolloutId/seed_session', async () => ({}));
app.post('/ng-rollout/:rolloutId/close_session', async () => ({}));
app.post<{ Params: { rolloutId: string }; Body: Answered }>('/ng-rollout/:rolloutId/verify', ({ body, params }) =>
  verify(body, params.rolloutId),
);

/** A failed judge becomes status 200, `reward: 0` and `mask_sample: true`; any other error is thrown on. */
const verify = judgeFailsafe(async (body: Answered, rolloutId: string): Promise<object> => {
  const answer = textOf(body.response);
  if (answer === '') {
    throw new NgFailureEvent({
      boundary: 'resources_server',
      failureKind: 'verifier_error',
      failureReason: 'There is no text to verify in the response',
      stage: 'verification',
      operation: 'verify',
    });
  }
  const isWorthAJudge = answer.includes(body.expected_answer);
  return { ...body, reward: isWorthAJudge ? await judge(body.expected_answer, answer, rolloutId) : 0 };
});

/** 1 when the judge finds both equal, else 0. */
async function judge(expected: string, answer: string, rolloutId: string): Promise<number> {
  const input = `A: ${expected}\nB: ${answer}\nAnswer [[A=B]] or [[A!=B]].`;
  const reply = await askModel(rolloutId, { model: JUDGE_MODEL, input }).catch((cause: unknown) => {
    throw judgeFailure({ cause });
  });
  const [, verdict] = /\[\[A(!?=)B\]\]/.exec(textOf(reply)) ?? [];
  if (verdict === undefined) {
    throw judgeFailure({ failureKind: 'judge_unparseable', failureReason: 'The judge gave no verdict' });
  }
  return verdict === '=' ? 1 : 0;
}

async function askModel(rolloutId: string, body: object): Promise<ModelResponse> {
  const reply = await fetch(`${MODEL_URL}/ng-rollout/${rolloutId}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await raiseBoundaryFailure(reply);
  return JSON.parse(await reply.text());
}

function textOf(response: ModelResponse | undefined): string {
  const parts = (response?.output ?? []).flatMap(({ content = [] }) => content);
  return parts.map(({ text = '' }) => text).join('');
}

console.log(await app.listen({ port: Number(PORT), host: '127.0.0.1' }));
