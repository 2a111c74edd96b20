/**
 * A model server in front of a provider, with the `openai` client and its retries. Each attempt that fails is in the
 * report, also where a later one succeeds.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import OpenAI from 'openai';
import {
  failRequest,
  modelOperation,
  NgFailureEvent,
  observedFetch,
  reportForCurrentRequest,
} from 'opentelemetry-instrumentation-nemo-gym';

const { PROVIDER_URL = 'http://127.0.0.1:8000', PROVIDER_API_KEY = 'none', PORT = '3001' } = process.env;

const client = new OpenAI({
  baseURL: `${PROVIDER_URL}/v1`,
  apiKey: PROVIDER_API_KEY,
  maxRetries: 2,
  timeout: 60_000,
  fetch: observedFetch,
});

const server = createServer(async (request, response) => {
  const isResponses = request.url?.endsWith('/v1/responses') === true;
  if (request.method !== 'POST' || !isResponses) return sendJson(response, 404, 'Not Found');
  try {
    sendJson(response, 200, await answerTo(request));
  } catch (error) {
    // Status and body are this server's own matter. The failure goes into the header by itself, once it is named.
    failRequest(error);
    sendJson(response, statusOf(error), 'The model did not answer');
  }
});

async function answerTo(request: IncomingMessage): Promise<unknown> {
  const body = await json(request);
  const post = () => client.post('/responses', { body });
  return modelOperation(post).catch((cause: unknown) => {
    throw modelFailure(cause);
  });
}

/** The server's own failure, above the client's error. `observedFetch` has found by evidence what the attempts failed by. */
function modelFailure(cause: unknown): NgFailureEvent {
  const attempts = [...reportForCurrentRequest().events.values()];
  return new NgFailureEvent({
    boundary: 'model',
    failureKind: attempts.at(-1)?.failure_kind ?? 'provider_unavailable',
    // Not the error's own message: providers repeat in it what they were sent.
    failureReason: `The provider gave no answer in ${attempts.length} attempts`,
    operation: 'responses',
    httpStatus: cause instanceof OpenAI.APIError ? cause.status : undefined,
    cause,
  });
}

function statusOf(error: unknown): number {
  return NgFailureEvent.is(error) ? (error.httpStatus ?? 502) : 500;
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : PORT}`);
});
