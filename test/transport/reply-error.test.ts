import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FailureHeader,
  failureReportFor,
  HttpReplyError,
  NgFailureEvent,
  RequestFailureLog,
  raiseBoundaryFailure,
  raiseForStatus,
} from '../../src/index.ts';

const inner = new NgFailureEvent({ boundary: 'model', failureKind: 'transport_timeout', failureReason: 'no answer' });
const outer = new NgFailureEvent({
  boundary: 'agent',
  failureKind: 'agent_run_error',
  failureReason: 'broke',
  httpStatus: 500,
  cause: inner,
});
const report = failureReportFor(outer);

const answer: RequestListener = (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://h');
  const headers = pathname.startsWith('/own')
    ? FailureHeader.encode(report)
    : pathname.startsWith('/observed')
      ? FailureHeader.encode(report.asObservations())
      : pathname.startsWith('/broken')
        ? { [FailureHeader.NAME]: 'no report' }
        : {};
  response.writeHead(Number(searchParams.get('status')), headers);
  if (pathname.endsWith('-cut')) response.write('part', () => response.destroy());
  else response.end(pathname.endsWith('-long') ? '😀'.repeat(100_000) : 'the body');
};

let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => server.close());

/** What raising made of the reply to `path`, and what the request's log then holds. */
async function raised(raise: typeof raiseForStatus, path: string): Promise<{ error: unknown; log: RequestFailureLog }> {
  return RequestFailureLog.capture(async (log) => {
    const response = await fetch(base + path);
    const error = await raise(response).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return { error, log };
  });
}

describe('raiseBoundaryFailure', () => {
  it('raises the remote failure with its ids and causes, and this hop’s reply beside them', async () => {
    const { error, log } = await raised(raiseBoundaryFailure, '/own?status=502');
    if (!NgFailureEvent.is(error)) throw new Error('no event');
    expect(failureReportFor(error).toJSON()).toEqual(report.toJSON());
    expect(NgFailureEvent.is(error.cause) && error.cause.eventId).toBe(inner.eventId);
    expect(error.httpStatus).toBe(500);
    expect(error.httpError).toMatchObject({ status: 502, body: 'the body' });
    expect(error.httpError).toBeInstanceOf(HttpReplyError);
    expect(JSON.stringify(error)).not.toContain('the body');
    expect(log.report.toJSON()).toEqual(report.asObservations().toJSON());
  });

  it.each(['/none', '/observed', '/broken'])(
    'raises the HTTP error where the reply names no failure: %s',
    async (path) => {
      const { error, log } = await raised(raiseBoundaryFailure, `${path}?status=503`);
      expect(error).toBeInstanceOf(HttpReplyError);
      expect(error).toMatchObject({ status: 503, message: `HTTP 503 Service Unavailable from ${base}${path}` });
      expect(error).not.toHaveProperty('cause');
      expect(log.report.omitted).toBe(path === '/broken');
      expect(log.report.events.size).toBe(path === '/observed' ? 2 : 0);
    },
  );

  it.each([200, 204, 304, 399])('leaves a reply with status %i alone, and observes its report', async (status) => {
    const { error, log } = await raised(raiseBoundaryFailure, `/own?status=${status}`);
    expect(error).toBeUndefined();
    expect(log.report.events.size).toBe(2);
  });

  it('leaves the body of a good reply to its reader', async () => {
    const response = await fetch(`${base}/own?status=200`);
    await raiseBoundaryFailure(response);
    expect(await response.text()).toBe('the body');
  });
});

describe('raiseForStatus', () => {
  it('raises the HTTP error, the remote failure as its cause', async () => {
    const { error } = await raised(raiseForStatus, '/own?status=500');
    if (!(error instanceof HttpReplyError)) throw new Error('no HttpReplyError');
    expect([error.name, error.status, error.body]).toEqual(['HttpReplyError', 500, 'the body']);
    expect(failureReportFor(error).toJSON()).toEqual(report.toJSON());
    expect(Object.keys(error)).not.toContain('body');
  });

  it('has no cause where the reply reported none', async () => {
    const { error } = await raised(raiseForStatus, '/none?status=404');
    expect(error).toBeInstanceOf(HttpReplyError);
    expect(error).not.toHaveProperty('cause');
  });

  it('bounds the body, and bears one that breaks off or was read already', async () => {
    const long = (await raised(raiseForStatus, '/own-long?status=500')).error;
    if (!(long instanceof HttpReplyError)) throw new Error('no HttpReplyError');
    expect([...long.body]).toHaveLength(65_536);
    expect((await raised(raiseForStatus, '/own-cut?status=500')).error).toMatchObject({ status: 500, body: '' });
    const response = await fetch(`${base}/own?status=500`);
    await response.text();
    await expect(raiseForStatus(response)).rejects.toMatchObject({ status: 500, body: '' });
  });

  it('does not wait for a copy of the reply that nobody has read yet', async () => {
    const response = await fetch(`${base}/own-long?status=500`);
    const copy = response.clone();
    await expect(raiseForStatus(response)).rejects.toMatchObject({ status: 500, body: expect.stringMatching(/^😀/u) });
    expect([...(await copy.text())]).toHaveLength(100_000);
  });

  it('works with any reply that has a status and headers', async () => {
    await expect(raiseForStatus({ status: 418, headers: {} })).rejects.toThrow(/^HTTP 418$/);
    await expect(raiseBoundaryFailure({ status: 400, headers: FailureHeader.encode(report) })).rejects.toMatchObject({
      eventId: outer.eventId,
    });
  });
});

describe('what is no reply', () => {
  const functions = [raiseBoundaryFailure, raiseForStatus] as const;
  const REMEDY = 'give a Response \\(was an await forgotten\\?\\)$';

  it.each(functions)('is named by %o', async (raise) => {
    const named = (what: string): RegExp => new RegExp(`^${raise.name}: ${what}: ${REMEDY}`);
    // @ts-expect-error a caller without types
    await expect(raise(undefined)).rejects.toThrow(named('the response is undefined'));
    // @ts-expect-error an await was forgotten
    await expect(raise(Promise.resolve(new Response()))).rejects.toThrow(named('status is undefined'));
    // @ts-expect-error a caller without types
    await expect(raise({ status: '500', headers: {} })).rejects.toThrow(named('status is "500"'));
  });
});

describe('HttpReplyError', () => {
  it('tells neither query nor credentials of the address', () => {
    const error = new HttpReplyError({ status: 401, url: 'https://me:p@ss@h:1/p?token=x#y' });
    expect(error.message).toBe('HTTP 401 from https://h:1/p');
    expect(error.url).toBe('https://h:1/p');
    expect(error.body).toBe('');
  });
});
