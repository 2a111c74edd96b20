/**
 * A relay of event streams with Hono. The stream passes as it is, and the report in its last event is kept. Where the
 * upstream breaks off, the headers have long left: a last event of the relay's own carries the report.
 */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { stream } from 'hono/streaming';
import {
  failRequest,
  failureStreamEvent,
  NgFailureEvent,
  raiseForStatus,
  relayStream,
  type StreamDialect,
} from 'opentelemetry-instrumentation-nemo-gym';
import { failureReports } from 'opentelemetry-instrumentation-nemo-gym/hono';

const { UPSTREAM_URL = 'http://127.0.0.1:3001', PORT = '3004' } = process.env;

const app = new Hono();
// The one line, before the routes: what they throw becomes the reply's own failure.
app.use(failureReports());

const routes: readonly [path: string, dialect: StreamDialect][] = [
  ['/ng-rollout/:rolloutId/v1/responses', 'responses'],
  ['/ng-rollout/:rolloutId/v1/chat/completions', 'chat'],
  ['/ng-rollout/:rolloutId/v1/messages', 'messages'],
];

for (const [path, dialect] of routes) {
  app.post(path, async (c) => {
    const { signal } = c.req.raw;
    const upstream = await ask(c.req.path, await c.req.text(), signal);
    c.header('content-type', upstream.headers.get('content-type') ?? 'text/event-stream');
    return stream(c, async (out) => {
      try {
        for await (const chunk of relayStream(upstream.body) ?? []) await out.write(chunk);
      } catch (cause) {
        // That the caller went away is no failure.
        if (signal.aborted) return;
        const failure = modelFailure('transport_peer_drop', 'The model broke off its stream', cause);
        failRequest(failure);
        // The blank line first: the upstream may have stopped in the middle of an event.
        await out.write(`\n\n${failureStreamEvent(dialect, failure)}`);
      }
    });
  });
}

app.onError((_error, c) => c.json('The model did not answer', 502));

/** The upstream's reply; where there is none, or a failed one, the failure is in this reply's header. */
async function ask(path: string, body: string, signal: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(UPSTREAM_URL + path, { method: 'POST', headers, body, signal }).catch((cause: unknown) => {
    throw modelFailure('transport_unreachable', 'There was no reply from the model', cause);
  });
  await raiseForStatus(reply).catch((cause: unknown) => {
    throw modelFailure('provider_unavailable', `The model answered with status ${reply.status}`, cause);
  });
  return reply;
}

function modelFailure(failureKind: string, failureReason: string, cause: unknown): NgFailureEvent {
  return new NgFailureEvent({ boundary: 'model', failureKind, failureReason, operation: 'relay', cause });
}

serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`);
});
