/**
 * The server under test, in a process of its own: `server.ts sdk` or `server.ts no-sdk`, and `faults` behind it for that
 * app. Measures itself when asked.
 */
import { channel } from 'node:diagnostics_channel';
import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { NgFailureInstrumentation, RequestFailureLog } from 'opentelemetry-instrumentation-nemo-gym';
import type { counts as Counts } from './app.ts';
import { answer } from './messages.ts';

export interface Measures {
  readonly heap: number;
  /** Bytes of buffers outside the heap. */
  readonly buffers: number;
  /** Milliseconds, since the last time. */
  readonly delay: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Milliseconds of CPU that the process used between two turns of the loop: of its delay what is its own work. */
  readonly work: { readonly p99: number; readonly max: number };
  readonly counts: Readonly<typeof Counts>;
  readonly spans: number;
  readonly spanEvents: number;
  /** What nobody may say or throw. */
  readonly complaints: readonly string[];
  /** Listeners of the process, the server and the agents, and subscribers of the channels. */
  readonly listeners: Readonly<Record<string, number>>;
}

export interface Remains {
  /** Resources that keep the process alive and were not there before the server was. */
  readonly resources: readonly string[];
  /** Channels on which the instrumentation still listens once it is off. */
  readonly subscribed: readonly string[];
  readonly listeners: Readonly<Record<string, number>>;
  /** Requests' logs, requests and replies, of calls too, that a collection finds after the last connection has closed. */
  readonly alive: Readonly<Record<'logs' | 'requests' | 'replies', number>>;
}

const CHANNELS = [
  'http.server.request.start',
  'http.client.request.created',
  'http.client.request.start',
  'http.client.response.finish',
  'undici:request:create',
  'undici:request:headers',
  'undici:request:bodyChunkReceived',
  'undici:request:trailers',
  'undici:request:error',
  'opentelemetry-instrumentation-nemo-gym:failures',
  'opentelemetry-instrumentation-nemo-gym:reply',
  'opentelemetry-instrumentation-nemo-gym:model-operation',
];

const complaints: string[] = [];
function complain(...words: unknown[]): void {
  if (complaints.length < 20) complaints.push(words.map(String).join(' ').slice(0, 500));
}
const quiet = (): void => {};
process.on('warning', complain);
process.on('uncaughtException', complain);
process.on('unhandledRejection', complain);

const exported = { spans: 0, events: 0 };
const { instrumentation, sdk } = process.argv[2] === 'no-sdk' ? withoutSdk() : await withSdk();
// NodeSDK sets a logger of its own where the environment asks for one.
diag.setLogger(
  { error: complain, warn: complain, info: quiet, debug: quiet, verbose: quiet },
  { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
);

interface Setup {
  readonly instrumentation: NgFailureInstrumentation;
  readonly sdk?: { flush(): Promise<void>; shutdown(): Promise<void> };
}

function withoutSdk(): Setup {
  return { instrumentation: new NgFailureInstrumentation() };
}

/** Spans go through a batch to nobody. */
async function withSdk(): Promise<Setup> {
  const { HttpInstrumentation } = await import('@opentelemetry/instrumentation-http');
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const { BatchSpanProcessor } = await import('@opentelemetry/sdk-trace');
  const processor = new BatchSpanProcessor({
    exporter: {
      export(spans, done) {
        exported.spans += spans.length;
        for (const { events } of spans) exported.events += events.length;
        done({ code: 0 });
      },
      shutdown: () => Promise.resolve(),
    },
    // A full queue drops spans, and says so.
    maxQueueSize: 100_000,
    scheduledDelayMillis: 100,
  });
  // After the imports: NodeSDK's own packages load node:http, which instrumentation-http then would not patch.
  const instrumentation = new NgFailureInstrumentation();
  const started = new NodeSDK({
    instrumentations: [new HttpInstrumentation(), instrumentation],
    spanProcessors: [processor],
  });
  started.start();
  return { instrumentation, sdk: { flush: () => processor.forceFlush(), shutdown: () => started.shutdown() } };
}

// instrumentation-http patches at this require.
const http: typeof import('node:http') = createRequire(import.meta.url)('node:http');
const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
const { appOf, counts } = await (process.argv[3] === 'faults' ? import('./faults/app.ts') : import('./app.ts'));
/** What the parent tells of the servers that this one calls. */
let told: unknown;
/** What is there before the server is, the channel to the parent among it. */
let before: string[] = [];
const server = http.createServer(appOf(http, agent, () => told));
server.keepAliveTimeout = 30_000;
const loop = monitorEventLoopDelay({ resolution: 5 });
loop.enable();
/** Microseconds of CPU from one turn to the next. */
const turns = createHistogram();
let used = process.cpuUsage();
const sampler = setInterval(() => {
  const { user, system } = process.cpuUsage(used);
  turns.record(Math.max(1, user + system));
  used = process.cpuUsage();
}, 5).unref();

function listenersOf(): Record<string, number> {
  const found: Record<string, number> = {};
  const emitters: Record<string, EventEmitter> = { process, server, agent, globalAgent: http.globalAgent };
  for (const [name, emitter] of Object.entries(emitters)) {
    for (const event of emitter.eventNames()) found[`${name} ${String(event)}`] = emitter.listenerCount(event);
  }
  for (const name of CHANNELS) found[name] = subscribersOf(name);
  return found;
}

/** Node tells how many there are by nothing public; without its list there is one or none. */
function subscribersOf(name: string): number {
  const subscribers: unknown = Reflect.get(channel(name), '_subscribers');
  return Array.isArray(subscribers) ? subscribers.length : Number(channel(name).hasSubscribers);
}

/** What a forced collection leaves, once no request is open and no span waits for its batch. */
async function collectGarbage(): Promise<void> {
  for (let tries = 0; counts.open > 0 && tries < 500; tries += 1) await delay(20);
  await sdk?.flush();
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc?.();
    await delay(20);
  }
}

async function measure(): Promise<Measures> {
  const milliseconds = (nanoseconds: number): number => nanoseconds / 1e6;
  const delays = {
    p50: milliseconds(loop.percentile(50)),
    p99: milliseconds(loop.percentile(99)),
    max: milliseconds(loop.max),
  };
  const work = { p99: turns.percentile(99) / 1e3, max: turns.max / 1e3 };
  await collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  loop.reset();
  turns.reset();
  used = process.cpuUsage();
  return {
    heap: heapUsed,
    buffers: arrayBuffers,
    delay: delays,
    work,
    counts: { ...counts },
    spans: exported.spans,
    spanEvents: exported.events,
    complaints,
    listeners: listenersOf(),
  };
}

/** Ends everything that the app has opened, and tells what is left. */
async function end(): Promise<Remains> {
  const listeners = listenersOf();
  loop.disable();
  clearInterval(sampler);
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  agent.destroy();
  instrumentation.disable();
  // Whoever called observedFetch once listens to undici for good: one listener for all calls.
  const subscribed = CHANNELS.filter((name) => subscribersOf(name) > (name.startsWith('undici:') ? 1 : 0));
  await sdk?.shutdown();
  let resources = remaining();
  // fetch keeps its sockets for a few seconds.
  for (let tries = 0; resources.length > 0 && tries < 80; tries += 1) {
    await delay(100);
    resources = remaining();
  }
  await collectGarbage();
  const alive = {
    logs: queryObjects(RequestFailureLog, { format: 'count' }),
    requests: queryObjects(http.IncomingMessage, { format: 'count' }),
    replies: queryObjects(http.ServerResponse, { format: 'count' }),
  };
  return { resources, subscribed, listeners, alive };
}

/** The timer that waits here is not the app's. */
function remaining(): string[] {
  const rest = process.getActiveResourcesInfo();
  for (const resource of before) {
    const at = rest.indexOf(resource);
    if (at >= 0) rest.splice(at, 1);
  }
  return rest;
}

answer({
  async listen(given) {
    told = given;
    before = process.getActiveResourcesInfo();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    return typeof address === 'object' ? address?.port : undefined;
  },
  measure,
  end,
});
