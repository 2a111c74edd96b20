/** The model server: `POST /v1/responses`, streamed or not, on plain `node:http`. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import {
  FailureHeader,
  failRequest,
  NgFailureEvent,
  reportForCurrentRequest,
} from 'opentelemetry-instrumentation-nemo-gym';
import { z } from 'zod';
import { message, responseWith, toolCall } from './responses-dialect.ts';
import { serve } from './serve.ts';
import { Acts, MODEL_ACTS, type ModelAct } from './task.ts';

const requestSchema = z.looseObject({
  stream: z.boolean().default(false),
  metadata: z.object({ acts: z.string(), role: z.enum(['policy', 'judge']) }),
});
type ModelRequest = z.infer<typeof requestSchema>;

const acts = new Acts();
const LONG_REASON = `The queue is full. ${'Each of its workers waits for the next batch. '.repeat(40)}`;

const server = createServer(async (request, response) => {
  if (request.url === '/livez') {
    response.end('ok');
    return;
  }
  const [, rolloutId] = /^\/ng-rollout\/([^/]+)\/v1\/responses$/.exec(request.url ?? '') ?? [];
  if (request.method !== 'POST' || rolloutId === undefined) {
    sendJson(response, 404, 'Not Found');
    return;
  }
  try {
    const asked = requestSchema.parse(await json(request));
    await play(nextAct(rolloutId, asked), asked, request, response);
  } catch (error) {
    // The reply says what it always said; the failure goes into its header by itself, once it is named.
    failRequest(error);
    const status = NgFailureEvent.is(error) ? (error.httpStatus ?? 500) : 500;
    sendJson(response, status, 'Internal Server Error', { 'retry-after-ms': '20' });
  }
});
serve(server);

function nextAct(rolloutId: string, { metadata }: ModelRequest): ModelAct {
  const list = z.array(z.enum(MODEL_ACTS)).parse(metadata.acts.split(','));
  return acts.next(`${rolloutId} ${metadata.role}`, list);
}

async function play(act: ModelAct, asked: ModelRequest, request: IncomingMessage, response: ServerResponse) {
  switch (act) {
    case 'unavailable':
      throw unavailable('All workers are busy');
    case 'unavailable_at_length':
      throw unavailable(LONG_REASON);
    case 'quota':
      return refuseLikeAForeignProvider(asked, request, response);
    case 'hang':
      return;
    case 'drop':
      return void request.socket.destroy();
    case 'break_stream':
      return breakStream(response);
    case 'cut_stream':
      beginStream(response);
      // Long enough for the first bytes to leave: the peer must see a stream, and then its end.
      return void setTimeout(() => request.socket.destroy(), 20);
    default:
      return answer(act, asked, response);
  }
}

function answer(act: ModelAct, asked: ModelRequest, response: ServerResponse): void {
  const completed = responseWith('completed', [outputOf(act, asked.metadata.role)]);
  if (!asked.stream) {
    sendJson(response, 200, completed);
    return;
  }
  beginStream(response);
  sendEvent(response, { type: 'response.completed', response: completed });
  response.end();
}

function outputOf(act: ModelAct, role: 'policy' | 'judge') {
  switch (act) {
    case 'tool':
      return toolCall('run_command', { command: 'multiply' });
    case 'deadly_tool':
      return toolCall('run_command', { command: 'allocate' });
    case 'forbidden_tool':
      return toolCall('run_command', { command: 'rm -rf /' });
    case 'mumble':
      return message('Both answers have their merits.');
    default:
      return message(role === 'judge' ? 'They agree: [[A=B]]' : 'The answer is 42.');
  }
}

function unavailable(failureReason: string): NgFailureEvent {
  return new NgFailureEvent({
    boundary: 'model',
    failureKind: 'provider_unavailable',
    failureReason,
    operation: 'responses',
    httpStatus: 503,
  });
}

/** A provider that is no Gym server reports nothing, and some repeat what they were sent: secrets included. */
function refuseLikeAForeignProvider(asked: ModelRequest, request: IncomingMessage, response: ServerResponse): void {
  const authorization = request.headers.authorization ?? '';
  const error = {
    message: `Quota exceeded for API key ${authorization.replace('Bearer ', '')}`,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    request: { headers: { authorization }, body: asked },
  };
  sendJson(response, 429, { error }, { 'retry-after-ms': '20' });
}

/** The headers have left with status 200 when this stream fails: its last event carries the report. */
function breakStream(response: ServerResponse): void {
  beginStream(response);
  const failure = unavailable('The worker was preempted after 12 tokens');
  failRequest(failure);
  sendEvent(response, {
    type: 'response.failed',
    response: responseWith('failed', [], { code: 'server_error', message: failure.failureReason }),
    [FailureHeader.STREAM_FIELD]: FailureHeader.streamValue(reportForCurrentRequest()),
  });
  response.end();
}

function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  sendEvent(response, { type: 'response.created', response: responseWith('in_progress') });
}

function sendEvent(response: ServerResponse, event: { type: string; [member: string]: unknown }): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
