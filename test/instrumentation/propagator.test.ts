import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { context, createContextKey, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import type { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NgFailureInstrumentation, NgFailurePropagator, RequestFailureLog } from '../../src/index.ts';
import { GET, type Listener, rawReply, withServer } from '../support/http-raw.ts';
import { eventually, startHttpInstrumentation, startTracing, type Tracing } from '../support/otel-spans.ts';

const KEY = createContextKey('opentelemetry-instrumentation-nemo-gym request failure log');
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const propagator = new NgFailurePropagator();

let tracing: Tracing;
let httpInstrumentation: HttpInstrumentation;
let ours: NgFailureInstrumentation;
beforeAll(() => {
  tracing = startTracing();
  httpInstrumentation = startHttpInstrumentation(tracing);
  ours = new NgFailureInstrumentation();
  const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator(), propagator];
  propagation.setGlobalPropagator(new CompositePropagator({ propagators }));
});
afterAll(() => {
  propagation.disable();
  ours.disable();
  httpInstrumentation.disable();
  tracing.stop();
});

const inContext = (): unknown => context.active().getValue(KEY);

/** What `look` sees in the listener of one request. */
async function seenBy<T>(look: (request: IncomingMessage) => T, request: string = GET): Promise<T> {
  const seen: T[] = [];
  const listener: Listener = (req, res) => {
    seen.push(look(req));
    res.end();
  };
  await withServer(http.createServer(listener), (port) => rawReply(port, request));
  const [first] = seen;
  if (first === undefined) throw new Error('the listener saw nothing');
  return first;
}

describe('a request that instrumentation-http serves', () => {
  it('has its log in the context, and the trace of its caller', async () => {
    const parent = `traceparent: 00-${TRACE_ID}-b7ad6b7169203331-01`;
    const seen = await seenBy(
      () => ({
        log: inContext(),
        current: RequestFailureLog.current(),
        traceId: trace.getSpanContext(context.active())?.traceId,
        baggage: propagation.getActiveBaggage()?.getEntry('who')?.value,
      }),
      `GET / HTTP/1.1\r\nHost: x\r\n${parent}\r\nbaggage: who=me\r\nConnection: close\r\n\r\n`,
    );
    expect(seen.log).toBeInstanceOf(RequestFailureLog);
    expect(seen.current).toBe(seen.log);
    expect(seen).toMatchObject({ traceId: TRACE_ID, baggage: 'me' });
  });

  it('has it in late body events, and in all work that comes of them', async () => {
    const seen: unknown[] = [];
    const server = http.createServer((req, res) => {
      seen.push(inContext());
      req.on('data', () => seen.push(inContext()));
      req.on('end', async () => {
        seen.push(inContext());
        await delay(1);
        seen.push(inContext());
        res.on('close', () => seen.push(inContext())).end();
      });
    });
    await withServer(server, async (port) => {
      const socket = net.connect(port, '127.0.0.1');
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n');
      await delay(10);
      socket.write('ab');
      socket.resume();
      await once(socket, 'close');
    });
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toBeInstanceOf(RequestFailureLog);
  });

  it('has one of its own on a connection that is used again', async () => {
    const seen: unknown[] = [];
    const server = http.createServer((_, res) => {
      seen.push(inContext());
      res.end();
    });
    await withServer(server, (port) => rawReply(port, `GET / HTTP/1.1\r\nHost: x\r\n\r\n${GET}`));
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBeInstanceOf(RequestFailureLog);
    expect(seen[1]).toBeInstanceOf(RequestFailureLog);
    expect(seen[1]).not.toBe(seen[0]);
  });
});

describe('a carrier', () => {
  const extracted = (carrier: unknown): unknown => propagator.extract(ROOT_CONTEXT, carrier);

  it('is the request’s headers object itself: a copy, or anything else, changes nothing', async () => {
    const seen = await seenBy((req) => ({
      own: propagator.extract(ROOT_CONTEXT, req.headers).getValue(KEY) === RequestFailureLog.current(),
      others: [{ ...req.headers }, {}, req, null, undefined, 'x', 1, new Map()].map(extracted),
    }));
    expect(seen.own).toBe(true);
    expect(seen.others).toEqual(Array(8).fill(ROOT_CONTEXT));
    for (const other of seen.others) expect(other).toBe(ROOT_CONTEXT);
  });

  it('of a call that a request makes is none, and gets nothing', async () => {
    const seen = await seenBy(() => {
      const carrier = {};
      propagator.inject();
      propagation.inject(context.active(), carrier);
      return { names: Object.keys(carrier), result: extracted(carrier) };
    });
    expect(seen.names).toEqual(['traceparent']);
    expect(seen.result).toBe(ROOT_CONTEXT);
    expect(propagator.fields()).toEqual([]);
  });

  it('of another open request is none', async () => {
    const open: IncomingMessage[] = [];
    const seen: unknown[] = [];
    const server = http.createServer(async (req, res) => {
      open.push(req);
      const [first] = open;
      if (first !== undefined && first !== req) seen.push(extracted(first.headers));
      await eventually(() => open.length === 2, 'both requests');
      res.end();
    });
    await withServer(server, (port) => Promise.all([rawReply(port), rawReply(port)]));
    expect(seen).toEqual([ROOT_CONTEXT]);
  });

  it('outside of a request, or one whose headers cannot be had, is none', async () => {
    expect(extracted({})).toBe(ROOT_CONTEXT);
    const seen = await seenBy((req) => {
      const { headers } = req;
      Object.defineProperty(req, 'headers', {
        get() {
          throw new Error('no headers');
        },
      });
      return { result: extracted(headers) };
    });
    expect(seen.result).toBe(ROOT_CONTEXT);
  });
});

describe('a log is met no more', () => {
  it('once its request has closed, though the context keeps it', async () => {
    const later: unknown[] = [];
    const server = http.createServer((_, res) => {
      const log = inContext();
      res.once('close', async () => {
        later.push(RequestFailureLog.current() === log);
        await delay(5);
        later.push(inContext() === log, RequestFailureLog.current());
      });
      res.end();
    });
    await withServer(server, (port) => rawReply(port));
    await eventually(() => later.length === 3, 'what came later');
    expect(later).toEqual([true, true, undefined]);
  });

  it('after disable(), on a connection that is used again', async () => {
    const seen: unknown[] = [];
    const server = http.createServer((_, res) => {
      seen.push([inContext() !== undefined, RequestFailureLog.current() !== undefined]);
      res.end();
    });
    await withServer(server, async (port) => {
      const socket = net.connect(port, '127.0.0.1');
      const arrived = async (count: number): Promise<unknown> => {
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        return eventually(() => seen.length === count, `request ${count}`);
      };
      await arrived(1);
      ours.disable();
      await arrived(2);
      ours.enable();
      await arrived(3);
      socket.destroy();
    });
    expect(seen).toEqual([
      [true, true],
      [false, false],
      [true, true],
    ]);
  });
});
