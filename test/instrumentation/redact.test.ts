import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';
import type { NgFailureInstrumentationConfig } from '../../src/instrumentation/config.ts';
import type { FailureEvent } from '../../src/records/failure-event.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { failRequest, observeFailure } from '../../src/transport/observe.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';
import { failure, reportOf } from '../support/http-failures.ts';
import type { Listener } from '../support/http-raw.ts';
import { failureEvents } from '../support/otel-spans.ts';
import { replyTo, serveOne, startTelemetry, type Telemetry } from '../support/telemetry.ts';

let telemetry: Telemetry;
let later = Date.now();
beforeAll(() => {
  telemetry = startTelemetry();
});
afterEach(() => {
  vi.restoreAllMocks();
  telemetry.instrumentation.setConfig({});
  telemetry.reset();
});
afterAll(() => telemetry.stop());

const SECRET = /s3cret/;
/** Raised in this process, so that it has a stack, with a secret wherever a text can stand. */
const fails: Listener = (_, res) => {
  const cause = new TypeError('s3cret of a foreign error');
  const facts = { stage: 'agent', operation: 's3cret operation', details: { prompt: 's3cret prompt' } } as const;
  const inner = failure('inner', { failure_reason: 's3cret of the cause', http_status: 503, ...facts });
  const own = { boundary: 'agent', failureKind: 'agent_run_error', failureReason: 's3cret reason' } as const;
  observeFailure(inner);
  failRequest(new NgFailureEvent({ ...own, ...facts, cause: Object.assign(cause, { cause: inner }) }));
  res.writeHead(500).end();
};
const hide = (event: FailureEvent): FailureEvent => ({
  event_id: event.event_id,
  boundary: event.boundary,
  failure_kind: event.failure_kind,
  failure_reason: 'hidden',
  ...(event.cause_id === undefined ? {} : { cause_id: event.cause_id }),
});

describe('redact', () => {
  it('takes out of the reply and of all telemetry what it says; ids and causes stay', async () => {
    telemetry.instrumentation.setConfig({ redact: hide, mirror: { signal: 'both' } });
    const { span, reply } = await serveOne(telemetry.tracing, fails);
    const report = FailureHeader.decode({ 'x-ng-failure-report': reply.reports[0] ?? '' });
    expect(report?.events.get(report.failureId ?? '')).toMatchObject({ cause_id: 'inner', failure_reason: 'hidden' });
    expect(span.attributes['nemo.gym.failure.id']).toBe(report?.failureId);
    const shown = [
      reply.raw,
      span.attributes,
      span.events,
      span.status,
      telemetry.records().map((r) => [r.body, r.attributes]),
    ];
    expect(JSON.stringify(shown)).not.toMatch(SECRET);
    expect(failureEvents(span)).toHaveLength(2);
    expect(telemetry.records()).toHaveLength(2);
    expect(telemetry.complaints).toEqual([]);
  });

  it.each<['reply' | 'telemetry']>([['reply'], ['telemetry']])('for %s alone leaves the other whole', async (where) => {
    telemetry.instrumentation.setConfig({ redact: (event, target) => (target === where ? hide(event) : event) });
    const { span, reply } = await serveOne(telemetry.tracing, fails);
    const telemetryText = JSON.stringify([span.attributes, span.events, span.status]);
    expect([SECRET.test(reply.raw), SECRET.test(telemetryText)]).toEqual([where !== 'reply', where !== 'telemetry']);
  });

  it('leaves what the process itself keeps whole', async () => {
    telemetry.instrumentation.setConfig({ redact: hide });
    let kept: string | undefined;
    await replyTo((_, res) => {
      observeFailure(failure('attempt', { failure_reason: 's3cret' }));
      res.on('finish', () => {
        kept = RequestFailureLog.current()?.report.events.get('attempt')?.failure_reason;
      });
      res.end();
    });
    expect(kept).toBe('s3cret');
  });

  it('applies to what the app itself set on its reply', async () => {
    telemetry.instrumentation.setConfig({ redact: hide });
    const reply = await replyTo((_, res) => {
      res.writeHead(200, { 'x-ng-failure-report': JSON.stringify(reportOf('theirs')) }).end();
    });
    expect(reply.reports).toHaveLength(1);
    expect(reply.reports[0]).toMatch(/"theirs".*"hidden"/);
  });

  it('turns stacks off, unless they are asked for', async () => {
    const stacksWith = async (config: NgFailureInstrumentationConfig): Promise<boolean> => {
      telemetry.instrumentation.setConfig(config);
      const { span } = await serveOne(telemetry.tracing, fails);
      return failureEvents(span).some((event) => event['exception.stacktrace'] !== undefined);
    };
    expect(await stacksWith({})).toBe(true);
    expect(await stacksWith({ redact: (event) => event })).toBe(false);
    expect(await stacksWith({ redact: (event) => event, mirror: { stackTraces: true } })).toBe(true);
  });
});

describe('a redaction that breaks the event', () => {
  // A JavaScript user can give back anything.
  const broken: [what: string, redact: (event: FailureEvent) => unknown][] = [
    [
      'throws',
      () => {
        throw new Error('no idea');
      },
    ],
    ['changes the event itself', (event) => Object.assign(event, { failure_reason: 'x' })],
    ['gives back nothing', () => undefined],
    ['gives a promise', (event) => Promise.resolve(hide(event))],
    ['changes the id', (event) => ({ ...event, event_id: 'another' })],
    ['changes the cause', (event) => ({ ...event, cause_id: 'another' })],
    ['takes the cause away', (event) => ({ ...hide(event), cause_id: undefined })],
    ['changes the kind', (event) => ({ ...event, failure_kind: 'shutdown' })],
    ['changes the boundary', (event) => ({ ...event, boundary: 'collection' })],
    ['makes it invalid', (event) => ({ ...event, http_status: 7 })],
    ['puts in what is not JSON', (event) => ({ ...event, details: { when: new Date() } })],
  ];

  it.each(broken)('(it %s) leaves nothing of its texts, and is told once', async (_, redact) => {
    later += 120_000;
    vi.spyOn(Date, 'now').mockReturnValue(later);
    telemetry.instrumentation.setConfig({ redact, mirror: { signal: 'both' } } as NgFailureInstrumentationConfig);
    const { span, reply } = await serveOne(telemetry.tracing, (_req, res) => {
      const cause = failure('inner', { failure_reason: 's3cret of the cause', http_status: 503, stage: 'agent' });
      failRequest(failure('own', { failure_reason: 's3cret', operation: 's3cret', details: { a: 's3cret' } }, cause));
      res.end();
    });
    const report = FailureHeader.decode({ 'x-ng-failure-report': reply.reports[0] ?? '' });
    expect(report?.toJSON()).toMatchObject({ failure_id: 'own', events: { own: { cause_id: 'inner' } } });
    const shown = [
      reply.raw,
      span.attributes,
      span.events,
      span.status,
      telemetry.records().map((r) => [r.body, r.attributes]),
    ];
    expect(JSON.stringify(shown)).not.toMatch(SECRET);
    expect(report?.events.get('own')).toEqual({
      event_id: 'own',
      boundary: 'model',
      failure_kind: 'transport_timeout',
      failure_reason: 'redacted',
      cause_id: 'inner',
    });
    expect(telemetry.complaints).toHaveLength(1);
    expect(telemetry.complaints[0]).toContain('redact failed; every reason is sent as `redacted` (');
  });

  it('keeps stage and status of what it could not redact', async () => {
    telemetry.instrumentation.setConfig({
      redact: () => {
        throw new Error('no idea');
      },
    });
    const reply = await replyTo((_, res) => {
      observeFailure(failure('x', { stage: 'seed', http_status: 503, operation: 's3cret' }));
      res.end();
    });
    const event = JSON.parse(reply.reports[0] ?? '{}').events.x;
    expect(event).toEqual({
      ...hide(failure('x').toRecord()),
      failure_reason: 'redacted',
      stage: 'seed',
      http_status: 503,
    });
  });

  it('of too long a text is bounded', async () => {
    telemetry.instrumentation.setConfig({ redact: (event) => ({ ...event, failure_reason: 'é'.repeat(3000) }) });
    const { span } = await serveOne(telemetry.tracing, (_, res) => {
      failRequest(failure('x'));
      res.end();
    });
    expect(String(failureEvents(span)[0]?.['nemo.gym.failure.reason'])).toHaveLength(2000);
    expect(span.status.message).toHaveLength(2000);
  });
});

describe('mirror.attributesFor', () => {
  it('adds to span events and log records; ours win', async () => {
    telemetry.instrumentation.setConfig({
      redact: (event) => ({ ...event, failure_reason: 'hidden' }),
      mirror: {
        signal: 'both',
        attributesFor: (event) => ({ 'my.reason': event.failure_reason, 'nemo.gym.failure.kind': 'mine' }),
      },
    });
    const { span } = await serveOne(telemetry.tracing, (_, res) => {
      failRequest(failure('x'));
      res.end();
    });
    const expected = { 'my.reason': 'hidden', 'nemo.gym.failure.kind': 'transport_timeout' };
    expect(failureEvents(span)).toEqual([expect.objectContaining(expected)]);
    expect(telemetry.records()[0]?.attributes).toMatchObject(expected);
  });

  it('that throws adds nothing', async () => {
    telemetry.instrumentation.setConfig({
      mirror: {
        attributesFor: () => {
          throw new Error('no idea');
        },
      },
    });
    const { span, reply } = await serveOne(telemetry.tracing, fails);
    expect(failureEvents(span)).toHaveLength(2);
    expect(reply.reports).toHaveLength(1);
    expect(telemetry.complaints).toEqual([expect.stringContaining('mirror.attributesFor failed')]);
  });
});
