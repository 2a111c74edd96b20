import http from 'node:http';
import { type Context, context, createContextKey, TraceFlags, trace } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NgFailureInstrumentationConfig } from '../../src/instrumentation/config.ts';
import { NgFailureInstrumentation } from '../../src/instrumentation/instrumentation.ts';
import { failRequest, observeFailure, observeReply } from '../../src/transport/observe.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';
import { failure, reportOf } from '../support/http-failures.ts';
import { type Listener, withServer } from '../support/http-raw.ts';
import { failureEvents } from '../support/otel-spans.ts';
import { replyTo, serveOne, startTelemetry, type Telemetry } from '../support/telemetry.ts';

const VARIABLE = 'OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN';
const SUPPRESS = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');
const tracer = trace.getTracer('test');
let telemetry: Telemetry;

function start(config: NgFailureInstrumentationConfig = {}, variable?: string): Telemetry {
  if (variable !== undefined) process.env[VARIABLE] = variable;
  telemetry.instrumentation.setConfig(config);
  return telemetry;
}

beforeAll(() => {
  telemetry = startTelemetry();
});
beforeEach(() => {
  delete process.env[VARIABLE];
  telemetry.reset();
});
afterEach(() => {
  delete process.env[VARIABLE];
  telemetry.http.setConfig({});
  expect(telemetry.complaints).toEqual([]);
});
afterAll(() => telemetry.stop());

const fails: Listener = (_, res) => {
  observeFailure(failure('attempt'));
  failRequest(failure('own', { boundary: 'agent', failure_kind: 'agent_run_error' }, failure('cause')));
  res.writeHead(500).end();
};
const idsOf = (records: readonly { readonly attributes: object }[]): unknown[] =>
  records.map(({ attributes }) => Reflect.get(attributes, 'nemo.gym.failure.event_id'));

describe('which signals there are', () => {
  it.each<
    [config: NgFailureInstrumentationConfig['mirror'], variable: string | undefined, spans: number, logs: number]
  >([
    [undefined, undefined, 3, 0],
    [{}, '', 3, 0],
    [{}, 'spans', 3, 0],
    [{}, 'logs', 0, 3],
    [{}, 'logs/dup', 3, 3],
    [{}, ' other , LOGS ', 0, 3],
    [{}, 'logs,logs/dup', 3, 3],
    [{ signal: 'span-events' }, undefined, 3, 0],
    [{ signal: 'logs' }, undefined, 0, 3],
    [{ signal: 'both' }, undefined, 3, 3],
    [{ signal: 'span-events' }, 'logs', 3, 0],
    [{ signal: 'logs' }, 'logs/dup', 0, 3],
    [{ signal: 'both' }, 'logs', 3, 3],
  ])('config %j, variable %j: %i span events, %i log records', async (mirror, variable, spanEvents, logRecords) => {
    const { tracing, records } = start(mirror === undefined ? {} : { mirror }, variable);
    const { span, reply } = await serveOne(tracing, fails);
    expect(failureEvents(span)).toHaveLength(spanEvents);
    expect(records()).toHaveLength(logRecords);
    expect(span.attributes).toMatchObject({ 'nemo.gym.failure.id': 'own' });
    expect(reply.reports[0]).toContain('"failure_id":"own"');
  });

  it('a signal that nobody knows is one line, and the default', async () => {
    const { complaints, instrumentation } = start();
    // A JavaScript user can give anything.
    instrumentation.setConfig(JSON.parse('{"mirror": {"signal": "traces"}}'));
    expect(instrumentation.settings).toMatchObject({ spanEvents: true, logs: false });
    await Promise.resolve();
    expect(complaints.splice(0)).toEqual([
      expect.stringContaining('mirror.signal is "traces"; give one of "span-events"'),
    ]);
  });
});

describe('a log record', () => {
  it('says what the span event says, in the context of the same span', async () => {
    const { tracing, records } = start({ mirror: { signal: 'both' } });
    const { span } = await serveOne(tracing, fails);
    expect(records().map((record) => ({ ...record.attributes }))).toEqual(failureEvents(span));
    for (const { eventName, spanContext, body, attributes } of records()) {
      expect(eventName).toBe('nemo.gym.failure');
      expect(body).toBe(attributes['nemo.gym.failure.reason']);
      expect(spanContext).toMatchObject({ traceId: span.spanContext().traceId, spanId: span.spanContext().spanId });
    }
  });

  it('is an error for the reply’s own failure, a warning for its causes, attempts and other servers’ failures', async () => {
    const { tracing, records } = start({ mirror: { signal: 'logs' } });
    await serveOne(tracing, (req, res) => {
      observeReply({ 'x-ng-failure-report': JSON.stringify(reportOf('theirs')) });
      return fails(req, res);
    });
    const severities = records().map(({ attributes, severityNumber, severityText }) => [
      attributes['nemo.gym.failure.event_id'],
      severityNumber,
      severityText,
    ]);
    expect(severities).toEqual([
      ['theirs', 13, 'WARN'],
      ['attempt', 13, 'WARN'],
      ['cause', 13, 'WARN'],
      ['own', 17, 'ERROR'],
    ]);
  });

  it('is written once on a span, also with two instances', async () => {
    const { tracing, records, instrumentation } = start({ mirror: { signal: 'logs' } });
    const second = new NgFailureInstrumentation({ mirror: { signal: 'logs' } });
    second.emitLogRecord = (record) => instrumentation.emitLogRecord(record);
    try {
      await serveOne(tracing, (_, res) => {
        observeFailure(failure('twice'));
        observeFailure(failure('twice'));
        res.end();
      });
    } finally {
      second.disable();
    }
    expect(idsOf(records())).toEqual(['twice']);
  });

  it('is written also where a span has ended, which is then left alone', async () => {
    const { records, tracing } = start({ mirror: { signal: 'both' } });
    const ended = tracer.startSpan('ended');
    ended.end();
    context.with(trace.setSpan(context.active(), ended), () => observeFailure(failure('late')));
    expect(records().map(({ spanContext }) => spanContext?.spanId)).toEqual([ended.spanContext().spanId]);
    expect(tracing.spans().flatMap(failureEvents)).toEqual([]);
  });

  it('and where one never recorded', () => {
    const { records } = start({ mirror: { signal: 'both' } });
    const unsampled = trace.wrapSpanContext({
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      traceFlags: TraceFlags.NONE,
    });
    context.with(trace.setSpan(context.active(), unsampled), () => {
      observeFailure(failure('unsampled'));
      observeFailure(failure('unsampled'));
    });
    expect(records().map(({ spanContext }) => spanContext?.traceId)).toEqual(['a'.repeat(32)]);
  });

  it('is written once a request where there is no span', () => {
    const { records } = start({ mirror: { signal: 'logs' } });
    for (const _ of [1, 2]) {
      RequestFailureLog.capture(() => {
        observeFailure(failure('spanless'));
        observeFailure(failure('spanless'));
      });
    }
    observeFailure(failure('spanless'));
    observeFailure(failure('spanless'));
    expect(idsOf(records())).toEqual(['spanless', 'spanless', 'spanless']);
    expect(records().map(({ spanContext }) => spanContext)).toEqual([undefined, undefined, undefined]);
  });
});

describe('suppressed tracing', () => {
  const suppressed = (): Context => context.active().setValue(SUPPRESS, true);

  it('silences span events, log records and metrics, and the report is the same', async () => {
    const { tracing, records, measured } = start({ mirror: { signal: 'both' } });
    const open = await serveOne(tracing, fails);
    const [seen, counted] = [records().length, await measured()];
    telemetry.http.setConfig({ ignoreIncomingRequestHook: () => true });
    tracing.exporter.reset();
    const reply = await replyTo(fails);
    expect(reply.reports).toEqual(open.reply.reports);
    expect([tracing.spans(), records().length]).toEqual([[], seen]);
    expect(await measured()).toEqual(counted);
  });

  it('an exporter’s own request makes no telemetry', async () => {
    const { tracing, records, measured } = start({ mirror: { signal: 'both' } });
    const before = await measured();
    const collector = http.createServer((_, res) => {
      res.setHeader('x-ng-failure-report', JSON.stringify(reportOf('of the collector'))).end();
    });
    telemetry.http.setConfig({ ignoreIncomingRequestHook: () => true });
    await withServer(collector, async (port) => {
      const url = `http://127.0.0.1:${port}/v1/traces`;
      await context.with(suppressed(), async () => {
        await (await fetch(url, { method: 'POST' })).text();
        await new Promise((done) => http.get(url, (res) => res.resume().on('end', done)));
      });
    });
    expect([tracing.spans(), records()]).toEqual([[], []]);
    expect(await measured()).toEqual(before);
  });
});
