import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';
import { NgFailureInstrumentation } from '../../src/instrumentation/instrumentation.ts';
import type { FailureReport } from '../../src/records/failure-report.ts';
import { HEADER_NAME } from '../../src/records/wire.ts';
import { FAILURES_CHANNEL, type FailuresObserved } from '../../src/transport/announce.ts';
import { decodeValues } from '../../src/transport/header.ts';

/** A real server on a port of its own. */
export interface TestServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function listen(listener: RequestListener | Server): Promise<TestServer> {
  const server = typeof listener === 'function' ? createServer(listener) : listener;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What came over the wire, whole. */
export interface Exchange {
  /** Everything but the date and the report. */
  readonly bytes: string;
  readonly status: number;
  readonly report: FailureReport | undefined;
}

export interface Ask {
  readonly method?: string;
  readonly body?: string;
}

/** One request over a socket of its own, read to the end. */
export async function exchange(port: number, path: string, { method = 'GET', body }: Ask = {}): Promise<Exchange> {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: test', 'Connection: close'];
  if (body !== undefined) head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  const text = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      // Some apps say keep-alive themselves, and the server then waits.
      if (isWhole(Buffer.concat(chunks).toString('latin1'))) socket.end();
    });
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.on('error', (error) =>
      chunks.length > 0 ? resolve(Buffer.concat(chunks).toString('latin1')) : reject(error),
    );
  });
  const end = text.indexOf('\r\n\r\n');
  const lines = text.slice(0, end).split('\r\n');
  const isReport = (line: string) => line.toLowerCase().startsWith(`${HEADER_NAME.toLowerCase()}:`);
  const values = lines.filter(isReport).map((line) => line.slice(line.indexOf(':') + 1).trim());
  if (values.length > 1) throw new Error(`Two report headers: ${values.join(' and ')}`);
  const others = lines.filter((line) => !isReport(line) && !/^date:/i.test(line));
  return {
    bytes: others.join('\r\n') + text.slice(end),
    status: Number(lines[0]?.split(' ')[1]),
    report: decodeValues(values),
  };
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n') + 4;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length - end >= Number(length);
}

/** An event that a test knows by its reason. */
export function event(failureReason: string, cause?: unknown): NgFailureEvent {
  return new NgFailureEvent({
    boundary: 'resources_server',
    failureKind: 'verifier_error',
    failureReason,
    ...(cause === undefined ? undefined : { cause }),
  });
}

/** The reasons in a report, the reply's own failure first. */
export function reasons(report: FailureReport | undefined): string[] {
  if (report === undefined) return [];
  const own = report.failureId;
  const others = [...report.events.values()].filter(({ event_id }) => event_id !== own);
  return [
    own === undefined ? 'none' : (report.events.get(own)?.failure_reason ?? 'unresolved'),
    ...others.map(({ failure_reason }) => failure_reason),
  ];
}

/** What was announced as a reply's own failure while `run` ran. */
export async function raisedDuring(run: () => Promise<unknown>): Promise<string[]> {
  const raised: string[] = [];
  const onFailures = (message: unknown): void => {
    const { origin, report } = message as FailuresObserved;
    if (origin === 'raised') raised.push(...reasons(report).slice(0, 1));
  };
  FAILURES_CHANNEL.subscribe(onFailures);
  try {
    await run();
  } finally {
    FAILURES_CHANNEL.unsubscribe(onFailures);
  }
  return raised;
}

/** A route that each framework serves in its own words. */
export interface ContractServer {
  /**
   * Starts a server with the routes `/recovered` (observes `attempt`, answers), `/event` (throws `own`), `/caused` (throws a
   * plain error caused by `own`), `/plain` (throws an error without event), `/teapot` (throws an error with status 418
   * caused by `own`), `/slow/:id` (waits, observes `attempt <id>`, waits, throws `own <id>`), and POST `/body` (reads JSON,
   * then throws `own`).
   */
  start(withAdapter: boolean): Promise<TestServer>;
  /** Whether a request that the instrumentation does not serve has a log from its error on, and none before. */
  readonly onlyFromTheError?: boolean;
}

const CASES: readonly [path: string, expected: string[], ask?: Ask][] = [
  ['/recovered', ['none', 'attempt']],
  ['/event', ['own']],
  ['/caused', ['own']],
  ['/plain', []],
  ['/teapot', ['own']],
  ['/nowhere', []],
  ['/body', ['own'], { method: 'POST', body: '{"a":1}' }],
];

/** What holds of every adapter, with the instrumentation and without it. */
export function describeContract(name: string, server: ContractServer): void {
  describe(`${name}: the contract of all adapters`, () => {
    const before = new Map<string, Exchange>();
    let instrumentation: NgFailureInstrumentation | undefined;
    afterEach(() => instrumentation?.disable());

    beforeAll(async () => {
      const bare = await server.start(false);
      for (const [path, , ask] of CASES) before.set(path, await exchange(bare.port, path, ask));
      await bare.close();
    });

    for (const instrumented of [false, true]) {
      describe(instrumented ? 'with the instrumentation' : 'alone', () => {
        const withoutAttempts = server.onlyFromTheError === true && !instrumented;
        let running: TestServer;
        beforeAll(async () => {
          running = await server.start(true);
        });
        afterAll(() => running.close());

        it.each(CASES)('%s carries %j and is otherwise the same bytes', async (path, expected, ask) => {
          if (instrumented) instrumentation = new NgFailureInstrumentation();
          const got = await exchange(running.port, path, ask);
          expect(got.bytes).toBe(before.get(path)?.bytes);
          expect(got.bytes).toMatch(/^HTTP\/1\.1 \d/);
          expect(reasons(got.report)).toEqual(
            withoutAttempts ? expected.filter((reason) => reason === 'own') : expected,
          );
        });

        it('keeps concurrent requests apart', async () => {
          if (instrumented) instrumentation = new NgFailureInstrumentation();
          const ids = Array.from({ length: 24 }, (_, id) => id);
          const got = await Promise.all(ids.map((id) => exchange(running.port, `/slow/${id}`)));
          expect(got.map(({ report }) => reasons(report))).toEqual(
            ids.map((id) => (withoutAttempts ? [`own ${id}`] : [`own ${id}`, `attempt ${id}`])),
          );
        });
      });
    }
  });
}

/** A little while of a length that nobody can guess, to mix requests up. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
}
