/** The agent: `/run` plays an episode and has it verified, `/v1/responses` only answers, as a stream. Express. */
import { createServer } from 'node:http';
import express, { type Request, type Response } from 'express';
import {
  agentRouteFailure,
  episodeFailureResponse,
  FailureHeader,
  failRequest,
  findBoundaryFailure,
  handledEpisodeFailure,
  reportForCurrentRequest,
} from 'opentelemetry-instrumentation-nemo-gym';
import { answerError } from './answer-error.ts';
import { post, rolloutUrl } from './gym-client.ts';
import { play } from './harness.ts';
import { modelClient } from './model-client.ts';
import { responseWith } from './responses-dialect.ts';
import { peer, serve } from './serve.ts';
import { Acts, type Task, taskSchema } from './task.ts';

const MODEL_URL = peer('MODEL_URL');
const RESOURCES_URL = peer('RESOURCES_URL');
const API_KEY = peer('AGENT_API_KEY');
const INSTRUCTIONS = peer('AGENT_INSTRUCTIONS');

type RolloutRequest = Request<{ rolloutId: string }>;

const acts = new Acts();
const router = express.Router({ mergeParams: true });

router.post('/run', async (request: RolloutRequest, response: Response) => {
  const { rolloutId } = request.params;
  const task = taskSchema.parse(request.body);
  const act = acts.next(rolloutId, task.script.agent);
  // The caller gives up at some point and closes the connection.
  if (act === 'hang') return;
  try {
    if (act === 'break') throw new TypeError("Cannot read properties of undefined (reading 'turns')");
    response.json(await run(rolloutId, task));
  } catch (error) {
    if (task.script.episode !== 'handle' || findBoundaryFailure(error)?.boundary !== 'environment') {
      throw agentRouteFailure('run', error);
    }
    response.json(failedEpisode(task, error));
  }
});

router.post('/v1/responses', async (request: RolloutRequest, response: Response) => {
  const task = taskSchema.parse(request.body);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  sendEvent(response, { type: 'response.created', response: responseWith('in_progress') });
  try {
    const answer = await answerTo(request.params.rolloutId, task);
    sendEvent(response, { type: 'response.completed', response: answer, ...reportField() });
  } catch (error) {
    failRequest(agentRouteFailure('responses', error));
    sendEvent(response, { type: 'response.failed', response: responseWith('failed'), ...reportField() });
  }
  response.end();
});

/** Seeds the session, lets the model work, has the answer verified, and closes the session whatever happened. */
async function run(rolloutId: string, task: Task): Promise<Record<string, unknown>> {
  const resources = rolloutUrl(RESOURCES_URL, rolloutId);
  await post(`${resources}/seed_session`, task);
  try {
    return await post(`${resources}/verify`, { ...task, response: await answerTo(rolloutId, task) });
  } finally {
    // A session that is not released fails no rollout; the reply's report was observed when it came.
    await post(`${resources}/close_session`, task).catch(() => {});
  }
}

function answerTo(rolloutId: string, task: Task) {
  return play({
    client: modelClient({
      baseURL: `${rolloutUrl(MODEL_URL, rolloutId)}/v1`,
      apiKey: API_KEY,
      timeout: task.model_timeout_ms,
    }),
    input: task.responses_create_params.input,
    instructions: INSTRUCTIONS,
    metadata: { role: 'policy', acts: task.script.model.join(',') },
    runCommand: async (command) =>
      String((await post(`${rolloutUrl(RESOURCES_URL, rolloutId)}/run_command`, { command })).output),
  });
}

/** An episode that failed in its environment is an answer, status 200, with the report beside it. */
function failedEpisode(task: Task, cause: unknown): object {
  const failure = handledEpisodeFailure({
    failureKind: 'session_lost',
    failureReason: 'The sandbox is gone, and the episode with it',
    stage: 'agent',
    operation: 'run',
    terminal: true,
    cause,
  });
  return episodeFailureResponse(failure, task);
}

/** Once the headers have left, the last event of the stream carries the report. */
function reportField(): Record<string, unknown> {
  return { [FailureHeader.STREAM_FIELD]: FailureHeader.streamValue(reportForCurrentRequest()) };
}

function sendEvent(response: Response, event: { type: string; [member: string]: unknown }): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

const app = express();
app.get('/livez', (_request, response) => void response.send('ok'));
app.use(express.json({ limit: '10mb' }));
app.use('/ng-rollout/:rolloutId', router);
app.use(answerError);
serve(createServer(app));
