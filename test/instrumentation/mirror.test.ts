import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type DiagLogger, diag, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';
import { NgFailureInstrumentation } from '../../src/instrumentation/instrumentation.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { failRequest, observeFailure, observeModelOperation, observeReply } from '../../src/transport/observe.ts';
import { raiseBoundaryFailure } from '../../src/transport/reply-error.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';
import { failure, reportOf } from '../support/http-failures.ts';
import { GET, type Listener, type RawReply, rawReply, readRaw, withServer } from '../support/http-raw.ts';
import {
  eventually,
  failureEvents,
  startHttpInstrumentation,
  startTracing,
  type Tracing,
} from '../support/otel-spans.ts';

let tracing: Tracing;
let httpInstrumentation: HttpInstrumentation;
let instrumentation: NgFailureInstrumentation;
const complaints: string[] = [];

beforeAll(() => {
  tracing = startTracing();
  httpInstrumentation = startHttpInstrumentation(tracing);
});
afterAll(() => {
  httpInstrumentation.disable();
  tracing.stop();
});
beforeEach(() => {
  tracing.exporter.reset();
  complaints.length = 0;
  const complain = (message: string): void => void complaints.push(message);
  const quiet = (): void => {};
  const logger: DiagLogger = { error: complain, warn: complain, info: quiet, debug: quiet, verbose: quiet };
  diag.setLogger(logger, { suppressOverrideMessage: true });
  instrumentation = new NgFailureInstrumentation();
});
afterEach(() => {
  instrumentation.disable();
  httpInstrumentation.setConfig({});
  diag.disable();
  expect(complaints).toEqual([]);
});

interface Served {
  readonly reply: RawReply;
  readonly span: ReadableSpan;
}

/** Serves one request and gives back its reply and its server span. */
async function serve(listener: Listener, path = '/'): Promise<Served> {
  const reply = await withServer(http.createServer(listener), async (port) => {
    const raw = await rawReply(port, GET.replace('/', path));
    await eventually(() => serverSpan(), 'the server span');
    return readRaw(raw);
  });
  const span = serverSpan();
  if (span === undefined) throw new Error('no server span');
  return { reply, span };
}

const serverSpan = (): ReadableSpan | undefined => tracing.spans().find(({ kind }) => kind === SpanKind.SERVER);
const named = (name: string): ReadableSpan => {
  const span = tracing.spans().find((candidate) => candidate.name === name);
  if (span === undefined) throw new Error(`no span ${name}`);
  return span;
};
const attributesUnder = (span: ReadableSpan, prefix: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(span.attributes).filter(([name]) => name.startsWith(prefix)));
const tracer = trace.getTracer('test');

describe('an event on a span', () => {
  it('has the event’s facts, and stands on the span that was active', async () => {
    const { span, reply } = await serve((_, res) => {
      tracer.startActiveSpan('attempt', (active) => {
        const facts = {
          stage: 'agent',
          operation: 'responses',
          http_status: 503,
          foreign_error: { exception_type: 'APIError', message: 'overloaded', http_status: 529 },
          cause_id: 'below',
        } as const;
        observeFailure(failure('above', facts, failure('below')));
        active.end();
      });
      res.end();
    });
    expect(failureEvents(span)).toEqual([]);
    expect(failureEvents(named('attempt'))).toEqual([
      {
        'nemo.gym.failure.event_id': 'below',
        'nemo.gym.failure.boundary': 'model',
        'nemo.gym.failure.kind': 'transport_timeout',
        'nemo.gym.failure.reason': 'reason of below',
        'nemo.gym.failure.origin': 'attempt',
        'nemo.gym.failure.selected': false,
      },
      {
        'nemo.gym.failure.event_id': 'above',
        'nemo.gym.failure.cause_id': 'below',
        'nemo.gym.failure.boundary': 'model',
        'nemo.gym.failure.kind': 'transport_timeout',
        'nemo.gym.failure.stage': 'agent',
        'nemo.gym.failure.operation': 'responses',
        'nemo.gym.failure.reason': 'reason of above',
        'nemo.gym.failure.http_status': 503,
        'nemo.gym.failure.origin': 'attempt',
        'nemo.gym.failure.selected': false,
        'exception.type': 'APIError',
        'exception.message': 'overloaded',
      },
    ]);
    expect(reply.reports[0]).toContain('"above"');
  });

  it('stands there once, on each span where it was observed', async () => {
    const { span } = await serve((_, res) => {
      const twice = failure('twice');
      observeFailure(twice);
      observeFailure(twice);
      RequestFailureLog.current()?.add(reportOf('twice', 'added'));
      tracer.startActiveSpan('inner', (active) => {
        observeFailure(twice);
        active.end();
      });
      res.end();
    });
    const ids = (events: Record<string, unknown>[]): unknown[] =>
      events.map((event) => event['nemo.gym.failure.event_id']);
    expect(ids(failureEvents(span))).toEqual(['twice', 'added']);
    expect(ids(failureEvents(named('inner')))).toEqual(['twice']);
  });

  it('also with two instances', async () => {
    const second = new NgFailureInstrumentation();
    try {
      const { span } = await serve((_, res) => {
        failRequest(failure('once'));
        res.end();
      });
      expect(failureEvents(span)).toHaveLength(1);
    } finally {
      second.disable();
    }
  });

  it('from another server’s reply is forwarded, on the span of the call’s place', async () => {
    const header = FailureHeader.encode(reportOf('theirs'));
    const { span } = await serve((_, res) => {
      observeReply(header);
      res.end();
    });
    expect(failureEvents(span)).toMatchObject([{ 'nemo.gym.failure.origin': 'forwarded' }]);
  });

  it('at most 64 on a span, the nearest to the failure among them', async () => {
    const { span, reply } = await serve((_, res) => {
      let cause: NgFailureEvent | undefined;
      for (let index = 0; index < 100; index += 1) cause = failure(`e${index}`, {}, cause);
      failRequest(cause);
      observeFailure(failure('more'));
      res.end();
    });
    const events = failureEvents(span);
    expect(events).toHaveLength(64);
    expect(events.at(-1)).toMatchObject({ 'nemo.gym.failure.event_id': 'e99', 'nemo.gym.failure.selected': true });
    expect(span.attributes['nemo.gym.failure.count']).toBe(101);
    expect([reply.reports, span.attributes['nemo.gym.failure.omitted']]).toEqual([['{"omitted":true}'], true]);
  });

  it('of a peer that writes too much is cut between code points', async () => {
    const { span } = await serve((_, res) => {
      RequestFailureLog.current()?.add(
        FailureHeader.decodeStreamEvent({
          [FailureHeader.STREAM_FIELD]: {
            events: { x: { ...reportOf('x').events.get('x'), failure_reason: '😀'.repeat(3000) } },
          },
        }) ?? reportOf(),
      );
      res.end();
    });
    const reason = String(failureEvents(span)[0]?.['nemo.gym.failure.reason']);
    expect([[...reason].length, reason.isWellFormed(), reason.endsWith('...[truncated]')]).toEqual([2000, true, true]);
  });
});

describe('a stack', () => {
  const raise = (): NgFailureEvent => {
    const socket = Object.assign(new Error('socket hang up, token=abcdefghijk'), { code: 'ECONNRESET' });
    const fetchFailed = new TypeError('fetch failed', { cause: socket });
    const options = { boundary: 'model', failureKind: 'transport_peer_drop', failureReason: 'dropped' } as const;
    return new NgFailureEvent({ ...options, cause: fetchFailed });
  };

  it('of a failure raised here has its causes; none enters the report', async () => {
    const { span, reply } = await serve((_, res) => {
      failRequest(raise());
      res.end();
    });
    const stack = String(failureEvents(span)[0]?.['exception.stacktrace']);
    expect(stack).toMatch(/^NgFailureEvent: dropped\n {4}at raise .*mirror\.test\.ts/);
    expect(stack).toMatch(/\nCaused by: TypeError: fetch failed\n {4}at raise/);
    expect(stack).toMatch(/\nCaused by: Error: socket hang up, token=\*\*\*\n {4}at raise/);
    expect(reply.reports[0]).not.toMatch(/stack|mirror\.test/);
  });

  it('is left out when it is turned off, and for failures from elsewhere', async () => {
    instrumentation.setConfig({ mirror: { stackTraces: false } });
    const { span } = await serve((_, res) => {
      failRequest(raise());
      observeFailure(failure('restored'));
      res.end();
    });
    const events = failureEvents(span);
    expect(events).toHaveLength(2);
    for (const event of events) expect(event).not.toHaveProperty(['exception.stacktrace']);
  });
});

describe('the server span', () => {
  it('names the reply’s own failure, from any depth', async () => {
    const { span } = await serve((_, res) => {
      observeFailure(failure('attempt'));
      tracer.startActiveSpan('deep', (active) => {
        failRequest(failure('own', { boundary: 'agent', failure_kind: 'agent_run_error' }, failure('cause')));
        res.writeHead(500).end();
        active.end();
      });
    });
    expect(attributesUnder(span, 'nemo.gym.')).toEqual({
      'nemo.gym.failure.id': 'own',
      'nemo.gym.failure.kind': 'agent_run_error',
      'nemo.gym.failure.boundary': 'agent',
      'nemo.gym.failure.count': 3,
    });
    expect(span.status.code).toBe(SpanStatusCode.ERROR);
    const [first, second] = failureEvents(named('deep'));
    expect(first).toMatchObject({ 'nemo.gym.failure.event_id': 'cause', 'nemo.gym.failure.selected': false });
    expect(second).toMatchObject({ 'nemo.gym.failure.origin': 'raised', 'nemo.gym.failure.selected': true });
  });

  it('is in error for its own failure also when the reply is a 200, and not for a recovered one', async () => {
    const own = await serve((_, res) => {
      failRequest(failure('own'));
      res.end();
    });
    expect(own.span.status).toEqual({ code: SpanStatusCode.ERROR, message: 'reason of own' });
    tracing.exporter.reset();
    const recovered = await serve((_, res) => {
      observeFailure(failure('recovered'));
      res.end();
    });
    expect(recovered.span.status.code).toBe(SpanStatusCode.UNSET);
    expect(attributesUnder(recovered.span, 'nemo.gym.')).toEqual({ 'nemo.gym.failure.count': 1 });
    expect(recovered.span.attributes).not.toHaveProperty(['error.type']);
  });

  it('has nothing of ours when nothing happened', async () => {
    const { span } = await serve((_, res) => res.end());
    expect([attributesUnder(span, 'nemo.gym.'), span.events]).toEqual([{}, []]);
  });

  it.each([
    ['/ng-rollout/r-1/v1/responses', 'r-1'],
    ['/ng-rollout/a%20b%2Fc/run?x=/y', 'a b/c'],
    ['/ng-rollout/50%/run', '50%'],
    ['/ng-rollout/last', 'last'],
    ['/ng-rollout//run', undefined],
    ['/other/ng-rollout/x', undefined],
  ])('of %s has the rollout’s id', async (path, id) => {
    const { span } = await serve((req, res) => {
      // Routers shorten the path on the way.
      req.url = '/run';
      res.end();
    }, path);
    expect(span.attributes['nemo.gym.rollout.id']).toBe(id);
  });

  it('tells of dropped events', async () => {
    const { span } = await serve((_, res) => {
      for (let index = 0; index < 70; index += 1) observeFailure(failure(`e${index}`));
      res.end();
    });
    expect(attributesUnder(span, 'nemo.gym.')).toEqual({
      'nemo.gym.failure.count': 64,
      'nemo.gym.failure.omitted': true,
      'nemo.gym.failure.dropped': 6,
    });
  });

  it('has a report that the app set itself', async () => {
    const { span } = await serve((_, res) =>
      res
        .setHeader(
          'x-ng-failure-report',
          '{"events":{"a":' +
            '{"boundary":"environment","failure_kind":"verifier_error","failure_reason":"no"}},"failure_id":"a"}',
        )
        .end(),
    );
    expect(attributesUnder(span, 'nemo.gym.')).toMatchObject({
      'nemo.gym.failure.id': 'a',
      'nemo.gym.failure.count': 1,
    });
    expect(failureEvents(span)).toMatchObject([
      { 'nemo.gym.failure.origin': 'raised', 'nemo.gym.failure.selected': true },
    ]);
  });

  it('shows what happens after the header left', async () => {
    const { span, reply } = await serve(async (_, res) => {
      res.write('a part');
      observeFailure(failure('attempt'));
      await delay(5);
      failRequest(failure('late'));
      res.end();
    });
    expect(reply.reports).toEqual([]);
    expect(failureEvents(span)).toMatchObject([
      { 'nemo.gym.failure.event_id': 'attempt' },
      { 'nemo.gym.failure.event_id': 'late', 'nemo.gym.failure.selected': true },
    ]);
    expect(attributesUnder(span, 'nemo.gym.')).toMatchObject({
      'nemo.gym.failure.id': 'late',
      'nemo.gym.failure.count': 2,
    });
    expect(span.status.code).toBe(SpanStatusCode.ERROR);
  });

  it('shows what happened before the client gave up', async () => {
    let open = false;
    const server = http.createServer((_, res) => {
      open = true;
      observeFailure(failure('attempt'));
      failRequest(failure('own'));
      res.on('close', () => server.emit('over'));
    });
    await withServer(server, async (port) => {
      const over = once(server, 'over');
      const socket = net.connect(port, '127.0.0.1');
      socket.write(GET);
      await eventually(() => open, 'the request');
      socket.destroy();
      await over;
    });
    const span = await eventually(() => serverSpan(), 'the server span');
    expect(attributesUnder(span, 'nemo.gym.failure.')).toMatchObject({ 'nemo.gym.failure.id': 'own' });
    expect(failureEvents(span).map((event) => event['nemo.gym.failure.event_id'])).toEqual(['attempt', 'own']);
  });
});

describe('a call to another server', () => {
  it('chains: the other server’s failure is forwarded, ours above it is raised', async () => {
    const upstream = http.createServer((_, res) => {
      failRequest(failure('theirs', { boundary: 'model' }));
      res.writeHead(503).end();
    });
    await withServer(upstream, async (port) => {
      const { reply } = await serve(async (req, res) => {
        if (req.headers['x-inner'] !== undefined) return res.end();
        const response = await fetch(`http://127.0.0.1:${port}/`);
        try {
          await raiseBoundaryFailure(response);
        } catch (cause) {
          const options = { boundary: 'agent', failureKind: 'agent_run_error', failureReason: 'no model' } as const;
          failRequest(new NgFailureEvent({ ...options, cause }));
        }
        return res.writeHead(500).end();
      });
      expect(reply.reports[0]).toMatch(/"cause_id":"theirs"/);
    });
    const spans = tracing.spans().filter(({ kind }) => kind === SpanKind.SERVER);
    const origins = spans.map((span) => failureEvents(span).map((event) => event['nemo.gym.failure.origin']));
    expect(origins).toContainEqual(['raised']);
    expect(origins).toContainEqual(['forwarded', 'raised']);
  });
});

describe('without a span that records', () => {
  it('a request that instrumentation-http ignores has no mirror, and its reply has the report', async () => {
    httpInstrumentation.setConfig({ ignoreIncomingRequestHook: () => true });
    await tracer.startActiveSpan('around', async (around) => {
      const raw = await withServer(
        http.createServer((_, res) => {
          observeFailure(failure('seen'));
          res.end();
        }),
        (port) => rawReply(port),
      );
      expect(readRaw(raw).reports[0]).toContain('"seen"');
      around.end();
    });
    expect(tracing.spans().flatMap(failureEvents)).toEqual([]);
  });

  it('an ended span is left alone; the server span takes its place', async () => {
    const { span } = await serve((_, res) => {
      tracer.startActiveSpan('short', (short) => {
        short.end();
        observeFailure(failure('after'));
      });
      res.end();
    });
    expect(failureEvents(named('short'))).toEqual([]);
    expect(failureEvents(span)).toMatchObject([{ 'nemo.gym.failure.event_id': 'after' }]);
  });

  it('a disabled instrumentation mirrors nothing', async () => {
    instrumentation.disable();
    const { span } = await serve((_, res) => {
      observeFailure(failure('x'));
      res.end();
    });
    expect([span.events, attributesUnder(span, 'nemo.gym.')]).toEqual([[], {}]);
  });
});

describe('a model operation', () => {
  it('becomes attributes of the active span', async () => {
    const { span } = await serve((_, res) => {
      observeModelOperation({ operationId: 'op-1', outcome: 'completed', httpAttempts: 3, retryWaitS: 0.5 });
      res.end();
    });
    expect(attributesUnder(span, 'nemo.gym.')).toEqual({
      'nemo.gym.model.operation_id': 'op-1',
      'nemo.gym.model.outcome': 'completed',
      'nemo.gym.model.http_attempts': 3,
      'nemo.gym.model.retry_wait_s': 0.5,
    });
  });
});
