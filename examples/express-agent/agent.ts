/** An agent with Express: `/run` asks the model, has the answer verified, and answers with the verified row. */
import express, { type NextFunction, type Request, type Response } from 'express';
import { agentRouteFailure, NgFailureEvent, raiseBoundaryFailure } from 'opentelemetry-instrumentation-nemo-gym';
import { failureReports } from 'opentelemetry-instrumentation-nemo-gym/express';

const { MODEL_URL = 'http://127.0.0.1:3001', RESOURCES_URL = 'http://127.0.0.1:3002', PORT = '3003' } = process.env;

/** A row of the tasks' file: what goes to the model, beside the environment's own fields. */
interface Task {
  readonly responses_create_params: object;
}

const app = express();
app.use(express.json({ limit: '10mb' }));

app.post('/ng-rollout/:rolloutId/run', async (request: Request<{ rolloutId: string }>, response: Response) => {
  try {
    response.json(await run(request.params.rolloutId, request.body));
  } catch (cause) {
    // The agent's own failure, above whatever ended the run, which keeps its ids.
    throw agentRouteFailure('run', cause);
  }
});

// The one line: what a route throws becomes the reply's own failure. Status and body stay those of the handler below.
app.use(failureReports());
app.use((_error: unknown, _request: Request, response: Response, _next: NextFunction) => {
  response.status(500).json('Internal Server Error');
});

async function run(rolloutId: string, task: Task): Promise<unknown> {
  const model = `${MODEL_URL}/ng-rollout/${rolloutId}`;
  const resources = `${RESOURCES_URL}/ng-rollout/${rolloutId}`;
  await post(`${resources}/seed_session`, task);
  try {
    const response = await post(`${model}/v1/responses`, task.responses_create_params);
    return await post(`${resources}/verify`, { ...task, response });
  } finally {
    // A session that is not released fails no run. Its failure was observed when the reply came, and is in the report.
    await post(`${resources}/close_session`, task).catch(() => {});
  }
}

/** Posts to another server of the Gym. What it reported is thrown again, with its ids and causes. */
async function post(url: string, body: object): Promise<unknown> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((cause: unknown) => {
    throw new NgFailureEvent({
      boundary: 'agent',
      failureKind: 'agent_request_failed',
      failureReason: `There was no reply to ${new URL(url).pathname}`,
      operation: 'run',
      cause,
    });
  });
  await raiseBoundaryFailure(reply);
  return reply.json();
}

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : PORT}`);
});
