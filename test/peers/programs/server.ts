/** A Gym server of ours beside the Python ones. Tells its port, and ends when its input does. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import {
  episodeFailureResponse,
  type FailureEvent,
  FailureHeader,
  FailureReportRow,
  failRequest,
  failureReportFor,
  failureStreamEvent,
  handledEpisodeFailure,
  judgeFailsafe,
  judgeFailure,
  NgFailureEvent,
  raiseBoundaryFailure,
  relayStream,
  StreamFailureReportReader,
  withFailureReport,
} from 'opentelemetry-instrumentation-nemo-gym';
import { post } from './clients.ts';

type Route = (response: ServerResponse, query: URLSearchParams) => Promise<void>;

const REASON_MAX_CHARS = 2000;
const raised: FailureEvent[] = [];

function modelFailure(failureReason: string, cause?: unknown): NgFailureEvent {
  const more = cause === undefined ? {} : { cause };
  return new NgFailureEvent({ boundary: 'model', failureKind: 'provider_unavailable', failureReason, ...more });
}

/** A failure whose header has just so many bytes. */
function failureOf(bytes: number): NgFailureEvent {
  const inner = modelFailure('x'.repeat(REASON_MAX_CHARS));
  const sized = (length: number) => modelFailure('y'.repeat(length), inner);
  const [header = ''] = Object.values(FailureHeader.encode(failureReportFor(sized(0))));
  return sized(bytes - header.length);
}

/** An error of somebody else, as an SDK throws it. */
function sdkError(): Error {
  return Object.assign(new Error('Zeit überschritten 🔥'.repeat(100)), { name: 'APITimeoutError', status: 504 });
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function startStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
}

const upstreamOf = (query: URLSearchParams) => post(query.get('upstream') ?? '', query.get('by') ?? 'fetch');

const ROUTES: Record<string, Route> = {
  '/raised': async (response) => answer(response, 200, raised),
  '/model': async () => {
    throw modelFailure('Überlast \u007f \u2028 🔥', sdkError());
  },
  '/bare': async (_, query) => {
    throw modelFailure(query.get('reason') ?? '');
  },
  '/sized': async (_, query) => {
    throw failureOf(Number(query.get('bytes')));
  },
  '/agent': async (response, query) => {
    const upstream = await upstreamOf(query);
    try {
      await raiseBoundaryFailure(upstream);
    } catch (cause) {
      const facts = { boundary: 'agent', failureKind: 'agent_run_error', operation: 'run' } as const;
      throw new NgFailureEvent({ ...facts, failureReason: 'The agent’s model failed', cause });
    }
    answer(response, 200, JSON.parse(await upstream.text()));
  },
  // What the reply said is left to the hooks.
  '/recovered': async (response, query) => {
    await upstreamOf(query);
    answer(response, 200, { reward: 1 });
  },
  // As a collector: the row that would be saved.
  '/row': async (response, query) => {
    const upstream = await upstreamOf(query);
    const reader = new StreamFailureReportReader();
    if (upstream.type.startsWith('text/event-stream')) reader.feedText(await upstream.text());
    const row = { _ng_rollout_id: 'r-1', reward: 0 };
    answer(response, 200, FailureReportRow.mergedInto(row, FailureHeader.decode(upstream.headers), reader.finish()));
  },
  '/stream': async (response, query) => {
    startStream(response);
    for (const delta of ['Grü', 'ße 🔥']) {
      response.write(`data: ${JSON.stringify({ type: 'response.output_text.delta', delta })}\n\n`);
    }
    const how = query.get('how');
    if (how === 'responses' || how === 'chat' || how === 'messages') {
      response.end(failureStreamEvent(how, modelFailure('Die Verbindung riß ab')));
      return;
    }
    const failure = modelFailure(how === 'long' ? '🔥'.repeat(3000) : `halb \ud83d`, sdkError());
    response.end(`data: ${JSON.stringify(withFailureReport({ type: 'response.failed' }, failure))}\n\n`);
  },
  '/relay': async (response, query) => {
    const { body } = await fetch(query.get('upstream') ?? '', { method: 'POST' });
    startStream(response);
    if (body === null) throw new Error('no stream');
    for await (const piece of relayStream(body)) response.write(piece);
    response.end();
  },
  '/episode': async (response) => {
    const facts = { failureKind: 'browser_env:page_crashed', stage: 'agent', terminal: true } as const;
    const failure = handledEpisodeFailure({ ...facts, failureReason: '🔥'.repeat(3000), cause: sdkError() });
    answer(response, 200, episodeFailureResponse(failure, { steps: 3 }));
  },
  '/verify': async (response) => {
    const verify = judgeFailsafe(async () => {
      throw judgeFailure({ cause: modelFailure('kein Urteil', sdkError()) });
    });
    answer(response, 200, await verify());
  },
};

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  try {
    await ROUTES[pathname.replace(/^\/ng-rollout\/[^/]+/, '')]?.(response, searchParams);
  } catch (error) {
    if (NgFailureEvent.is(error)) raised.push(error.toRecord());
    failRequest(error);
    answer(response, 500, 'Internal Server Error');
  }
}

const server = http.createServer((request, response) => void serve(request, response));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : address);
});
process.stdin.resume().once('end', () => {
  server.close();
  server.closeAllConnections();
});
