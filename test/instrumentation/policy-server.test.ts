import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { NgFailureInstrumentationConfig } from '../../src/instrumentation/config.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { failRequest, observeFailure } from '../../src/transport/observe.ts';
import { withFailureReports } from '../../src/transport/reply/listener.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';
import { failureStreamEvent, withFailureReport } from '../../src/transport/stream/stream-writer.ts';
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

function configure(config: NgFailureInstrumentationConfig): void {
  telemetry.instrumentation.setConfig(config);
}

const fails: Listener = (_, res) => {
  failRequest(failure('own', { failure_reason: 'a secret' }));
  res.writeHead(500, { 'x-app': '1' }).end('body');
};
const THEIRS = FailureHeader.encode(reportOf('theirs'));

describe('server.sendReportTo', () => {
  const onlyInside: NgFailureInstrumentationConfig = {
    server: { sendReportTo: ({ headers }) => headers['x-caller'] === 'inside' },
  };

  it('says who gets the header; nothing else of the reply changes', async () => {
    const whole = await replyTo(fails);
    configure(onlyInside);
    const inside = await replyTo(fails, '/', 'x-caller: inside\r\n');
    const outside = await replyTo(fails);
    expect(inside.raw).toBe(whole.raw);
    expect(outside.reports).toEqual([]);
    expect([outside.head, outside.body]).toEqual([whole.head, whole.body]);
  });

  it('does not change what telemetry shows', async () => {
    configure({ server: { sendReportTo: () => false } });
    const { span, reply } = await serveOne(telemetry.tracing, fails);
    expect(reply.reports).toEqual([]);
    expect(failureEvents(span)).toHaveLength(1);
    expect(span.attributes).toMatchObject({ 'nemo.gym.failure.id': 'own', 'nemo.gym.failure.count': 1 });
    expect(span.attributes).not.toHaveProperty(['nemo.gym.failure.omitted']);
  });

  const carrying: [string, Listener][] = [
    ['setHeader', (_, res) => res.setHeader('x-ng-failure-report', JSON.stringify(reportOf('theirs'))).end('x')],
    ['an object', (_, res) => res.writeHead(200, { ...THEIRS, 'X-Other': '1' }).end('x')],
    ['an array', (_, res) => res.writeHead(200, [...Object.entries(THEIRS).flat(), 'X-Other', '1']).end('x')],
    [
      'both',
      (_, res) => {
        res.setHeader('x-ng-failure-report', '{"omitted":true}');
        res.writeHead(200, 'Fine', THEIRS).end('x');
      },
    ],
  ];
  it.each(carrying)('takes off what the app had put on its reply by %s', async (_, listener) => {
    const before = await replyTo(listener);
    expect(before.reports).toHaveLength(1);
    configure({ server: { sendReportTo: () => false } });
    const after = await replyTo(listener);
    expect(after.reports).toEqual([]);
    expect([after.head, after.body]).toEqual([before.head, before.body]);
  });

  it('is asked once a request, and only when there is something to send', async () => {
    let asked = 0;
    configure({
      server: {
        sendReportTo: () => {
          asked += 1;
          return true;
        },
      },
    });
    await replyTo((_, res) => res.end('x'));
    expect(asked).toBe(0);
    const reply = await replyTo((_, res) => {
      failRequest(failure('own'));
      res.write('a part');
      res.end(failureStreamEvent('chat') + failureStreamEvent('responses'));
    });
    expect([asked, reply.reports.length, reply.body.match(/nemo_gym_failure_report/g)?.length]).toEqual([1, 1, 2]);
  });

  it.each<[what: string, sendReportTo: unknown, told: string]>([
    [
      'throws',
      () => {
        throw new Error('no idea');
      },
      'server.sendReportTo failed; no report is sent to this caller (no idea)',
    ],
    ['gives a promise', () => Promise.resolve(true), 'it gave back an object instead of true or false'],
    ['gives something else', () => 'yes', 'it gave back "yes" instead of true or false'],
    ['is no function', true, 'server.sendReportTo is true; give a function'],
  ])('that %s says no, and is told once', async (_, sendReportTo, told) => {
    // A fault of one kind is told once a minute.
    later += 120_000;
    vi.spyOn(Date, 'now').mockReturnValue(later);
    // A JavaScript user can give anything.
    configure({ server: { sendReportTo } } as NgFailureInstrumentationConfig);
    await Promise.resolve();
    const lines = telemetry.complaints.splice(0);
    const replies = [await replyTo(fails), await replyTo(fails)];
    expect(replies.map(({ reports }) => reports)).toEqual([[], []]);
    expect(replies[0]?.body).toContain('body');
    expect(telemetry.complaints).toEqual([expect.stringContaining(told)]);
    expect(lines).toHaveLength(typeof sendReportTo === 'function' ? 0 : 1);
    if (lines.length > 0) expect(lines[0]).toMatch(/give a function\. Until then no report is sent to this caller$/);
  });
});

describe('a stream', () => {
  const EVENT = {
    type: 'response.completed',
    response: { id: 'r', nemo_gym_failure_report: reportOf('nested').toJSON() },
  };
  const streams: Listener = (_, res) => {
    failRequest(failure('own', { failure_reason: 'a secret' }));
    res.end(`${JSON.stringify(withFailureReport(EVENT))}\n${failureStreamEvent('messages')}`);
  };

  it('to a caller who gets no report holds none, nor the reason', async () => {
    configure({ server: { sendReportTo: () => false } });
    const { body } = await replyTo(streams);
    expect(body).not.toMatch(/nemo_gym|secret|transport_timeout|nested/);
    expect(body).toContain('{"type":"response.completed","response":{"id":"r"}}');
    expect(body).toContain('"message":"The server failed while it streamed its reply"');
  });

  it('holds a redacted report', async () => {
    configure({ redact: (event) => ({ ...event, failure_reason: `hidden ${event.event_id}` }) });
    const { body } = await replyTo(streams);
    expect(body).not.toMatch(/secret|reason of nested/);
    expect(body).toContain('"failure_reason":"hidden nested"');
    expect(body).toContain('"message":"hidden own"');
    expect(body.match(/hidden own/g)).toHaveLength(3);
  });

  it('of a caller who gets everything is as it was', async () => {
    const before = await replyTo(streams);
    configure({ server: { sendReportTo: () => true } });
    expect((await replyTo(streams)).raw).toBe(before.raw);
  });
});

describe('server.ignoreRequest', () => {
  const ignoring: NgFailureInstrumentationConfig = { server: { ignoreRequest: ({ url }) => url === '/livez' } };
  const isServed: Listener = (_, res) => {
    failRequest(failure('own'));
    res.end(String(RequestFailureLog.current() !== undefined));
  };

  it('leaves a request alone', async () => {
    configure(ignoring);
    const [ignored, served] = [await replyTo(isServed, '/livez'), await replyTo(isServed, '/run')];
    expect([ignored.body, ignored.reports]).toEqual(['false', []]);
    expect([served.body, served.reports.length]).toEqual(['true', 1]);
  });

  it('also where the app opens a scope itself', async () => {
    configure(ignoring);
    const reply = await replyTo(withFailureReports(isServed), '/livez');
    expect([reply.body, reply.reports]).toEqual(['false', []]);
  });

  it('that throws ignores nothing', async () => {
    configure({
      server: {
        ignoreRequest: () => {
          throw new Error('no idea');
        },
      },
    });
    expect((await replyTo(isServed)).reports).toHaveLength(1);
  });
});

describe('without a policy', () => {
  it('there is none to ask', () => {
    configure({ server: {}, client: {}, mirror: {} });
    const { replyPolicy, ignoreRequest, ignoreReply, acceptReportFrom } = telemetry.instrumentation.settings;
    expect([replyPolicy, ignoreRequest, ignoreReply, acceptReportFrom]).toEqual(Array(4).fill(undefined));
  });

  it('a reply is the same as with one that lets everything pass', async () => {
    const listener: Listener = (req, res) => {
      observeFailure(failure('attempt'));
      return fails(req, res);
    };
    const plain = await replyTo(listener);
    configure({ server: { sendReportTo: () => true, ignoreRequest: () => false }, redact: (event) => event });
    expect((await replyTo(listener)).raw).toBe(plain.raw);
  });
});
