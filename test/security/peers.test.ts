import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  FailureHeader,
  FailureReport,
  FailureReportRow,
  failureReportFor,
  HttpReplyError,
  NgFailureEvent,
  NgFailureInstrumentation,
  observeFailure,
  RequestFailureLog,
  raiseBoundaryFailure,
  raiseForStatus,
} from '../../src/index.ts';
import { ErrorBody } from '../../src/transport/model/provider-reply.ts';

/** The address of a server that answers whatever comes with these bytes, one character each. */
async function rawServer(answer: (socket: net.Socket) => void): Promise<string> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const thrown = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

function model(reason: string, cause?: unknown): NgFailureEvent {
  const parts = { boundary: 'model', failureKind: 'transport_timeout', failureReason: reason } as const;
  return new NgFailureEvent(cause === undefined ? parts : { ...parts, cause });
}

/** What a peer claims under an id that it did not make. */
function claim(id: string, causeId?: string): object {
  const event = { event_id: id, boundary: 'agent', failure_kind: 'cancelled', failure_reason: 'a lie' };
  return causeId === undefined ? event : { ...event, cause_id: causeId };
}

describe('a peer that lies about ids', () => {
  it('takes no place in the chain of this request’s own failure', () => {
    RequestFailureLog.capture((log) => {
      const cause = model('what really happened');
      const own = model('the outer one', cause);
      const lies = { [cause.eventId]: claim(cause.eventId), [own.eventId]: claim(own.eventId, cause.eventId) };
      log.add(FailureReport.parse({ failure_id: cause.eventId, events: lies }));
      const report = log.replyReport(own);
      expect(report.failureId).toBe(own.eventId);
      expect(report.events.get(own.eventId)).toEqual(own.toRecord());
      expect(report.events.get(cause.eventId)).toEqual(cause.toRecord());
      expect(report.events.size).toBe(2);
    });
  });

  it('replaces nothing that was observed or saved before', () => {
    const first = model('what really happened');
    const lie = FailureReport.parse({ events: { [first.eventId]: claim(first.eventId) } });
    RequestFailureLog.capture((log) => {
      observeFailure(first);
      log.add(lie);
      expect([...log.report.events.values()]).toEqual([first.toRecord()]);
    });
    const row = FailureReportRow.mergedInto({ reward: 0 }, failureReportFor(first));
    expect(FailureReportRow.mergedInto(row, lie)).toEqual(row);
  });

  it('makes no cycle, however two reports point at each other', () => {
    const one = FailureReport.parse({ events: { a: claim('a', 'b'), b: claim('b') } });
    const other = FailureReport.parse({ events: { b: claim('b', 'c'), c: claim('c', 'a'), a: claim('a') } });
    for (const merged of [one.merge(other), other.merge(one)]) {
      expect(FailureReport.parse(merged.toJSON()).events.size).toBe(3);
    }
  });
});

describe('a reply to a caller that raises its failure', () => {
  it('puts nothing into the error’s message that a log or a terminal would act on', async () => {
    const text = `\x1b[31mforged\x9b\xff\x07${'y'.repeat(10_000)}`;
    const url = await rawServer((socket) =>
      socket.end(Buffer.from(`HTTP/1.1 500 ${text}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`, 'latin1')),
    );
    const response = await fetch(url);
    expect(response.statusText).toContain('\x1b[31mforged');
    const error = await thrown(raiseForStatus(response));
    if (!(error instanceof HttpReplyError)) throw new Error('no HttpReplyError');
    expect(error.message).toMatch(/^HTTP 500 \\u\{1b\}\[31mforged[^\p{Cc}\p{Cf}]*$/u);
    expect(error.message.length).toBeLessThan(400);
    const far = new HttpReplyError({ status: 500, url: `https://h/${'\u202e\n'.repeat(5000)}` });
    expect(far.message).toMatch(/^HTTP 500 from https:\/\/h\/[^\p{Cc}\p{Cf}]{0,5000}\.\.\.\[truncated\]$/u);
  });

  it('is read no further than an error keeps, though it has no end', async () => {
    let sent = 0;
    let closed = false;
    const url = await rawServer((socket) => {
      socket.on('close', () => {
        closed = true;
      });
      socket.write('HTTP/1.1 500 x\r\nConnection: close\r\n\r\n');
      const block = Buffer.alloc(64 * 1024, 'y');
      const more = (): void => {
        while (!socket.destroyed) {
          sent += block.length;
          if (!socket.write(block)) break;
        }
      };
      socket.on('drain', more);
      more();
    });
    for (const raise of [raiseForStatus, raiseBoundaryFailure]) {
      closed = false;
      sent = 0;
      const error = await thrown(raise(await fetch(url)));
      expect(error).toMatchObject({ status: 500, body: expect.stringMatching(/^y+\.\.\.\[truncated\]$/) });
      await expect.poll(() => closed).toBe(true);
      // What sockets hold of it on the way.
      expect(sent).toBeLessThan(32 * 1024 * 1024);
    }
  });
});

describe('headers of a hostile peer, through the hooks', () => {
  const heads: readonly (readonly [what: string, head: string])[] = [
    ['no JSON', '{"events": <html>'],
    ['bytes that are no ASCII', '\xfc\xff{'],
    ['8,000 brackets', '['.repeat(4000) + ']'.repeat(4000)],
    ['a pretended header behind it', '{"omitted":true}\r\nSet-Cookie: a=b'],
    ['odd ids', JSON.stringify({ events: JSON.parse('{"__proto__":{"event_id":"x"},"constructor":7}') })],
  ];

  it.each(heads)('%s: reads as omitted, and goes on as one header that says so', async (_what, head) => {
    const instrumentation = new NgFailureInstrumentation();
    onTestFinished(() => instrumentation.disable());
    const upstream = await rawServer((socket) =>
      socket.end(
        Buffer.from(
          `HTTP/1.1 200 OK\r\n${FailureHeader.NAME}: ${head}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
          'latin1',
        ),
      ),
    );
    const server = http.createServer(async (_request, response) => {
      await (await fetch(upstream)).text();
      response.end('well');
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(await reply.text()).toBe('well');
    expect(reply.headers.get(FailureHeader.NAME)).toBe('{"omitted":true}');
    expect(reply.headers.get('set-cookie')).toBeNull();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('an untrusted caller', () => {
  it('brings no report into a request, and its path names a rollout and nothing else', async () => {
    const instrumentation = new NgFailureInstrumentation();
    onTestFinished(() => instrumentation.disable());
    const server = http.createServer((_request, response) => {
      observeFailure(model('our own'));
      response.end(String(RequestFailureLog.current()?.report.events.size));
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const headers = FailureHeader.encode(FailureReport.parse({ failure_id: 'a', events: { a: claim('a') } }));
    for (const path of [
      '/',
      '/ng-rollout/%',
      '/ng-rollout/%0d%0aSet-Cookie:%20a=b/x',
      `/ng-rollout/${'r'.repeat(8000)}/x`,
    ]) {
      const reply = await fetch(base + path, { headers });
      expect(await reply.text()).toBe('1');
      const report = FailureHeader.decode(reply.headers);
      expect([...(report?.events.values() ?? [])].map((event) => event.failure_reason)).toEqual(['our own']);
      expect(reply.headers.get('set-cookie')).toBeNull();
    }
  });
});

describe('a packed error of a model’s provider', () => {
  const inside = Buffer.from(`{"error":{"code":"quota"}}${' '.repeat(1 << 20)}`);

  it.each([
    ['gzip', gzipSync(inside)],
    ['deflate', deflateSync(inside)],
    ['br', brotliCompressSync(inside)],
  ])('with %s is unpacked no further than one that is not packed is read', (encoding, body) => {
    const packed = new ErrorBody();
    packed.add(body);
    expect(packed.code({ 'content-encoding': encoding })).toBeUndefined();
    const small = new ErrorBody();
    small.add(gzipSync(inside.subarray(0, 1000)));
    expect(small.code({ 'content-encoding': 'gzip' })).toBe('quota');
  });
});
