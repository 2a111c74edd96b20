import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { type DiagLogger, diag, SpanKind } from '@opentelemetry/api';
import type { HttpInstrumentation, HttpInstrumentationConfig } from '@opentelemetry/instrumentation-http';
import { logs, metrics } from '@opentelemetry/sdk-node';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { NgFailureInstrumentationConfig } from '../../src/instrumentation/config.ts';
import { NgFailureInstrumentation } from '../../src/instrumentation/instrumentation.ts';
import { GET, type Listener, type RawReply, rawReply, readRaw, withServer } from './http-raw.ts';
import { eventually, startHttpInstrumentation, startTracing, type Tracing } from './otel-spans.ts';

/** One sum or histogram of one set of labels. */
export interface Point {
  readonly labels: Record<string, unknown>;
  readonly value: unknown;
}

/** All three signals in memory, with instrumentation-http and this package in a process. */
export interface Telemetry {
  readonly tracing: Tracing;
  readonly http: HttpInstrumentation;
  readonly instrumentation: NgFailureInstrumentation;
  readonly records: () => logs.ReadableLogRecord[];
  /** Everything that was measured since the start, by the metric's name. */
  readonly measured: () => Promise<Map<string, { unit: string; points: Point[] }>>;
  /** Forgets the spans, records and complaints so far; metrics go on counting. */
  readonly reset: () => void;
  /** What was told on the diagnostic logger at level warn and above. */
  readonly complaints: string[];
  readonly stop: () => void;
}

export function startTelemetry(
  config: NgFailureInstrumentationConfig = {},
  httpConfig: HttpInstrumentationConfig = {},
): Telemetry {
  const complaints = spyOnDiag();
  const tracing = startTracing();
  const httpInstrumentation = startHttpInstrumentation(tracing, httpConfig);
  const instrumentation = new NgFailureInstrumentation(config);
  const exporter = new logs.InMemoryLogRecordExporter();
  const processor = new logs.SimpleLogRecordProcessor({ exporter });
  instrumentation.setLoggerProvider(new logs.LoggerProvider({ processors: [processor] }));
  const reader = new metrics.PeriodicExportingMetricReader({
    exporter: new metrics.InMemoryMetricExporter(metrics.AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 1e9,
  });
  instrumentation.setMeterProvider(new metrics.MeterProvider({ readers: [reader] }));
  return {
    tracing,
    http: httpInstrumentation,
    instrumentation,
    records: () => exporter.getFinishedLogRecords(),
    measured: async () => {
      const { resourceMetrics } = await reader.collect();
      const all = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
      const pointsOf = ({ dataPoints }: metrics.MetricData): Point[] =>
        dataPoints.map(({ attributes, value }) => ({ labels: { ...attributes }, value }));
      return new Map(all.map((data) => [data.descriptor.name, { unit: data.descriptor.unit, points: pointsOf(data) }]));
    },
    complaints,
    reset: () => {
      tracing.exporter.reset();
      exporter.reset();
      complaints.length = 0;
    },
    stop: () => {
      instrumentation.disable();
      httpInstrumentation.disable();
      tracing.stop();
      diag.disable();
    },
  };
}

function spyOnDiag(): string[] {
  const complaints: string[] = [];
  const complain = (...args: unknown[]): void => void complaints.push(args.map(String).join(' '));
  const quiet = (): void => {};
  const logger: DiagLogger = { error: complain, warn: complain, info: quiet, debug: quiet, verbose: quiet };
  diag.setLogger(logger, { suppressOverrideMessage: true });
  return complaints;
}

export interface Served {
  readonly reply: RawReply;
  readonly span: ReadableSpan;
}

/** Serves one request and gives back its reply and its server span. */
export async function serveOne(tracing: Tracing, listener: Listener, path = '/'): Promise<Served> {
  tracing.exporter.reset();
  const reply = await replyTo(listener, path);
  return { reply, span: await eventually(() => serverSpan(tracing), 'the server span') };
}

/** Serves one request and gives back its reply. */
export async function replyTo(listener: Listener, path = '/', headers = ''): Promise<RawReply> {
  const request = GET.replace('/', path).replace('\r\n\r\n', `\r\n${headers}\r\n`);
  return readRaw(await withServer(http.createServer(listener), (port) => rawReply(port, request)));
}

/** Serves one request whose client goes away before the reply, and gives back its server span. */
export async function abortOne(tracing: Tracing, listener: Listener, path = '/'): Promise<ReadableSpan> {
  tracing.exporter.reset();
  await abort(listener, path);
  return eventually(() => serverSpan(tracing), 'the server span');
}

/** Serves one request whose client goes away before the reply; `listener` must not answer. */
export async function abort(listener: Listener, path = '/'): Promise<void> {
  let open = false;
  const server = http.createServer((request, response) => {
    response.on('close', () => server.emit('over'));
    listener(request, response);
    open = true;
  });
  await withServer(server, async (port) => {
    const over = once(server, 'over');
    const socket = net.connect(port, '127.0.0.1');
    socket.write(GET.replace('/', path));
    await eventually(() => open, 'the request');
    socket.destroy();
    await over;
  });
}

export function serverSpan(tracing: Tracing): ReadableSpan | undefined {
  return tracing.spans().find(({ kind }) => kind === SpanKind.SERVER);
}
