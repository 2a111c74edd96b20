import http from 'node:http';
import { trace } from '@opentelemetry/api';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { httpAddress, undiciAddress } from '../../src/instrumentation/client-policy.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { observedFetch } from '../../src/transport/model/observed-fetch.ts';
import { raiseBoundaryFailure, raiseForStatus } from '../../src/transport/reply-error.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';
import { reportOf } from '../support/http-failures.ts';
import { portOf } from '../support/http-raw.ts';
import { failureEvents } from '../support/otel-spans.ts';
import { startTelemetry, type Telemetry } from '../support/telemetry.ts';

let telemetry: Telemetry;
let server: http.Server;
let port: number;
let later = Date.now();

beforeAll(async () => {
  telemetry = startTelemetry({}, { ignoreIncomingRequestHook: () => true });
  // Its replies tell of a failure twice: in the header and in a stream.
  server = http.createServer((req, res) => {
    if (req.url === '/redirect') return res.writeHead(307, { location: `http://localhost:${port}/there` }).end();
    const stream = `data: ${JSON.stringify({ nemo_gym_failure_report: reportOf('streamed') })}\n\n`;
    const status = req.url === '/fails' ? 503 : 200;
    return res
      .writeHead(status, { ...FailureHeader.encode(reportOf('theirs')), 'content-type': 'text/event-stream' })
      .end(stream);
  });
  await new Promise<void>((resolve) => void server.listen(0, resolve));
  port = portOf(server);
});
afterEach(() => {
  vi.restoreAllMocks();
  telemetry.instrumentation.setConfig({});
  telemetry.reset();
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  telemetry.stop();
});

type Call = (path: string) => Promise<unknown>;
const clients: [name: string, call: Call][] = [
  ['fetch', async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()],
  ['undici', async (path) => (await request(`http://127.0.0.1:${port}${path}`)).body.text()],
  [
    'node:http',
    (path) =>
      new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port, path, headers: { host: 'trusted.example' } };
        http.get(options, (response) => response.resume().on('close', resolve)).on('error', reject);
      }),
  ],
];

async function observedBy(call: () => Promise<unknown>): Promise<string[]> {
  return RequestFailureLog.capture(async (log) => {
    await call();
    return [...log.report.events.keys()].sort();
  });
}

describe.each(clients)('of %s', (_, call) => {
  it('every server is believed without a policy', async () => {
    expect(await observedBy(() => call('/x'))).toEqual(['streamed', 'theirs']);
  });

  it('client.acceptReportFrom is asked with the address that was called', async () => {
    const asked = new Set<string>();
    const acceptReportFrom = (url: URL): boolean => {
      asked.add(url.href);
      return url.hostname === '127.0.0.1' && url.port === String(port);
    };
    telemetry.instrumentation.setConfig({ client: { acceptReportFrom } });
    expect(await observedBy(() => call('/x?y=1'))).toEqual(['streamed', 'theirs']);
    expect([...asked]).toEqual([`http://127.0.0.1:${port}/x?y=1`]);
  });

  it('a reply that is not believed is not read', async () => {
    telemetry.instrumentation.setConfig({
      client: { acceptReportFrom: ({ hostname }) => hostname === 'trusted.example' },
    });
    expect(await observedBy(() => call('/x'))).toEqual([]);
  });

  it('client.ignoreRequest leaves a reply alone', async () => {
    telemetry.instrumentation.setConfig({ client: { ignoreRequest: ({ pathname }) => pathname === '/x' } });
    expect(await observedBy(() => call('/x'))).toEqual([]);
    expect(await observedBy(() => call('/y'))).toEqual(['streamed', 'theirs']);
  });

  it('a policy that throws believes nobody, and ignores nothing', async () => {
    const broken = (): never => {
      throw new Error('no idea');
    };
    telemetry.instrumentation.setConfig({ client: { acceptReportFrom: broken } });
    telemetry.reset();
    // A fault of one kind is told once a minute, and each client asks here.
    later += 120_000;
    vi.spyOn(Date, 'now').mockReturnValue(later);
    expect(await observedBy(() => call('/x'))).toEqual([]);
    expect(telemetry.complaints).toEqual([
      expect.stringContaining('client.acceptReportFrom failed; the report is not believed (no idea)'),
    ]);
    telemetry.instrumentation.setConfig({ client: { ignoreRequest: broken } });
    expect(await observedBy(() => call('/x'))).toEqual(['streamed', 'theirs']);
    expect(telemetry.complaints[1]).toContain('client.ignoreRequest failed; the reply is looked at like any other');
  });
});

describe('client.acceptReportFrom', () => {
  const NOBODY = { client: { acceptReportFrom: () => false } };

  it('holds for the functions that raise a reply’s failure', async () => {
    const raised = async (raise: (response: Response) => Promise<void>): Promise<unknown> => {
      const response = await fetch(`http://127.0.0.1:${port}/fails`);
      return raise(response).catch((error: unknown) => error);
    };
    telemetry.instrumentation.setConfig(NOBODY);
    expect(await observedBy(() => raised(raiseForStatus))).toEqual([]);
    expect(await raised(raiseBoundaryFailure)).toMatchObject({ name: 'HttpReplyError', status: 503 });
    expect(
      await observedBy(() => raiseForStatus({ status: 200, headers: FailureHeader.encode(reportOf('a')) })),
    ).toEqual([]);
  });

  it('and for observedFetch', async () => {
    const call = async (): Promise<unknown> => (await observedFetch(`http://127.0.0.1:${port}/fails`)).text();
    expect(await observedBy(call)).toContain('theirs');
    telemetry.instrumentation.setConfig(NOBODY);
    const ids = await observedBy(call);
    expect(ids).toHaveLength(1);
    expect(ids).not.toContain('theirs');
  });

  it('is asked about the server that answered, after redirects', async () => {
    const acceptReportFrom = ({ hostname }: URL): boolean => hostname === '127.0.0.1';
    telemetry.instrumentation.setConfig({ client: { acceptReportFrom } });
    expect(await observedBy(async () => (await fetch(`http://127.0.0.1:${port}/redirect`)).text())).toEqual([]);
  });

  it('ends with the instrumentation', async () => {
    telemetry.instrumentation.setConfig(NOBODY);
    telemetry.instrumentation.disable();
    const response = { status: 200, url: 'http://x/', headers: FailureHeader.encode(reportOf('a')) };
    expect(await observedBy(() => raiseForStatus(response))).toEqual(['a']);
    telemetry.instrumentation.enable();
    expect(await observedBy(() => raiseForStatus(response))).toEqual([]);
  });
});

describe('an address', () => {
  it('of undici is its origin and path, and no path changes the host', () => {
    expect(undiciAddress({ origin: 'http://a:1', path: '//b/c' })?.href).toBe('http://a:1//b/c');
    expect(undiciAddress({ origin: new URL('http://a:1'), path: '/c' })?.href).toBe('http://a:1/c');
    expect(undiciAddress({ origin: 'http://a', path: 'b' })).toBeUndefined();
    expect(undiciAddress({})).toBeUndefined();
  });

  it('of node:http is the host that was called, whatever the Host header says', async () => {
    const addresses: (string | undefined)[] = [];
    const call = (options: http.RequestOptions): Promise<unknown> =>
      new Promise((resolve) => {
        const sent = http.get({ ...options, port }, (response) => {
          addresses.push(httpAddress(sent, response)?.href);
          response.resume().on('close', resolve);
        });
      });
    await call({ host: 'localhost', path: '/a' });
    await call({ host: 'LOCALHOST', path: '/b' });
    await call({ host: '127.0.0.1', headers: { host: 'trusted.example:1' }, path: '//c' });
    await call({ host: '::1', path: '/d' });
    expect(addresses).toEqual([
      `http://localhost:${port}/a`,
      `http://localhost:${port}/b`,
      `http://127.0.0.1:${port}//c`,
      `http://[::1]:${port}/d`,
    ]);
  });
});

it('undiciResponseHook shows a reply’s failures on the client span, once', () => {
  const span = trace.getTracer('test').startSpan('client');
  const headers = Object.entries(FailureHeader.encode(reportOf('theirs')))
    .flat()
    .map((text) => Buffer.from(text));
  const reply = { request: { origin: 'http://x', path: '/' }, response: { headers } };
  const { undiciResponseHook } = telemetry.instrumentation;
  undiciResponseHook(span, reply);
  undiciResponseHook(span, reply);
  telemetry.instrumentation.setConfig({ client: { acceptReportFrom: () => false } });
  undiciResponseHook(trace.getTracer('test').startSpan('other'), reply);
  span.end();
  undiciResponseHook(span, reply);
  expect(telemetry.tracing.spans().map(failureEvents)).toEqual([
    [expect.objectContaining({ 'nemo.gym.failure.event_id': 'theirs', 'nemo.gym.failure.origin': 'forwarded' })],
  ]);
  expect(telemetry.complaints).toEqual([]);
});
