import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NgFailureInstrumentation } from '../../src/instrumentation/instrumentation.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { failRequest, observeFailure } from '../../src/transport/observe.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';
import { failure } from '../support/http-failures.ts';
import { GET, type Listener, rawReply, readRaw, withServer } from '../support/http-raw.ts';
import { eventually } from '../support/otel-spans.ts';

let instrumentation: NgFailureInstrumentation;
beforeEach(() => {
  instrumentation = new NgFailureInstrumentation();
});
afterEach(() => instrumentation.disable());

/** The ids that each reply in `raw` reports, in the order of the replies. */
function idsOf(raw: string): string[][] {
  return [...raw.matchAll(/HTTP\/1\.1 [2-5]\d\d [\s\S]*?\r\n\r\n/g)].map(([head]) =>
    readRaw(head).reports.flatMap((value) => [
      ...(FailureHeader.decode([[FailureHeader.NAME, value]])?.events.keys() ?? []),
    ]),
  );
}

const pathId = (req: http.IncomingMessage): string => `of${(req.url ?? '').replaceAll('/', '-')}`;

describe('a served request', () => {
  it('has a log of its own, and its reply the header', async () => {
    const server = http.createServer((_, res) => {
      observeFailure(failure('seen'));
      res.end('ok');
    });
    expect(idsOf(await withServer(server, (port) => rawReply(port)))).toEqual([['seen']]);
  });

  it('of node:https as well', async () => {
    const psk = Buffer.alloc(16, 7);
    const ciphers = 'PSK-AES128-GCM-SHA256';
    const suite = { ciphers, maxVersion: 'TLSv1.2' } as const;
    const server = https.createServer({ ...suite, pskCallback: () => psk }, (_, res) => {
      failRequest(failure('own'));
      res.end('ok');
    });
    const header = await withServer(server, async (port) => {
      const checkServerIdentity = (): undefined => undefined;
      const pskOfClient = () => ({ psk, identity: 'test' });
      const socket = tls.connect({ ...suite, port, host: '127.0.0.1', pskCallback: pskOfClient, checkServerIdentity });
      const request = http.get({ createConnection: () => socket });
      const [reply]: http.IncomingMessage[] = await once(request, 'response');
      reply?.resume();
      return reply?.headers['x-ng-failure-report'];
    });
    expect(header).toContain('"failure_id":"own"');
  });

  it('keeps apart from the others in flight', async () => {
    const server = http.createServer(async (req, res) => {
      observeFailure(failure(`${pathId(req)}-start`));
      await delay(Math.random() * 10);
      observeFailure(failure(`${pathId(req)}-middle`));
      await new Promise((resolve) => setImmediate(resolve));
      failRequest(failure(`${pathId(req)}-own`));
      res.end();
    });
    await withServer(server, async (port) => {
      const replies = await Promise.all(
        Array.from({ length: 40 }, (_, index) => rawReply(port, GET.replace('/', `/${index}`))),
      );
      for (const [index, reply] of replies.entries()) {
        const id = `of-${index}`;
        expect(idsOf(reply)).toEqual([[`${id}-own`, `${id}-start`, `${id}-middle`]]);
      }
    });
  });

  it('and on a kept-alive connection none meets the log of the one before', async () => {
    const server = http.createServer((req, res) => {
      if (req.url !== '/quiet') observeFailure(failure(pathId(req)));
      res.end();
    });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    await withServer(server, async (port) => {
      const seen: unknown[] = [];
      for (const path of ['/1', '/quiet', '/2']) {
        const request = http.get({ port, path, agent });
        const [reply]: http.IncomingMessage[] = await once(request, 'response');
        seen.push(FailureHeader.decode(reply?.headers)?.events.size);
        reply?.resume();
        await once(request, 'close');
      }
      expect(seen).toEqual([1, undefined, 1]);
    });
    agent.destroy();
  });

  it('pipelined ones each keep their own', async () => {
    const server = http.createServer(async (req, res) => {
      observeFailure(failure(`${pathId(req)}-1`));
      await delay(req.url === '/a' ? 15 : 1);
      observeFailure(failure(`${pathId(req)}-2`));
      res.end();
    });
    const raw = await withServer(server, (port) =>
      rawReply(port, `GET /a HTTP/1.1\r\nHost: x\r\n\r\n${GET.replace('/', '/b')}`),
    );
    expect(idsOf(raw)).toEqual([
      ['of-a-1', 'of-a-2'],
      ['of-b-1', 'of-b-2'],
    ]);
  });

  it('finds its log in late body events, and in those of its reply', async () => {
    const seen = new Map<string, boolean>();
    const logs = new Set<RequestFailureLog | undefined>();
    const see = (event: string): void => {
      const log = RequestFailureLog.current();
      seen.set(event, log !== undefined);
      logs.add(log);
    };
    const server = http.createServer((req, res) => {
      see('handler');
      req.on('data', () => see('data'));
      req.on('end', () => {
        see('end');
        observeFailure(failure('late'));
        res.end('ok');
      });
      res.on('finish', () => see('finish'));
      res.on('close', () => see('close'));
    });
    await withServer(server, async (port) => {
      const socket = net.connect(port, '127.0.0.1');
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\n');
      await delay(10);
      socket.write('ab');
      await delay(10);
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.write('cd');
      await once(socket, 'close');
      expect(idsOf(Buffer.concat(chunks).toString())).toEqual([['late']]);
    });
    expect([...seen]).toEqual(['handler', 'data', 'end', 'finish', 'close'].map((event) => [event, true]));
    expect(logs.size).toBe(1);
  });

  it('emits to nobody as Node does: an error that no one listens for is thrown', async () => {
    const outcomes: unknown[] = [];
    const server = http.createServer((req, res) => {
      outcomes.push(req.emit('nothing'), res.emit('nothing'));
      res.on('something', (...args) => outcomes.push(args));
      outcomes.push(res.emit('something', 1, 2));
      try {
        req.emit('error', new Error('unheard'));
      } catch (error) {
        outcomes.push(error instanceof Error && error.message);
      }
      res.end();
    });
    await withServer(server, (port) => rawReply(port));
    expect(outcomes).toEqual([false, false, [1, 2], true, 'unheard']);
  });

  it('that its client gives up leaves no log behind', async () => {
    let log: unknown = 'none yet';
    let open = false;
    const server = http.createServer((_, res) => {
      open = true;
      res.on('close', () => {
        setTimeout(() => {
          log = RequestFailureLog.current();
        }, 5);
      });
    });
    await withServer(server, async (port) => {
      const socket = net.connect(port, '127.0.0.1');
      socket.write(GET);
      await eventually(() => open, 'the request');
      socket.destroy();
      await eventually(() => log !== 'none yet', 'the log after the close');
    });
    expect(log).toBeUndefined();
  });

  it('keeps its objects free of closures: one request’s functions are another’s', async () => {
    const functions: unknown[][] = [];
    const server = http.createServer((req, res) => {
      functions.push([req.emit, res.emit, res.writeHead]);
      res.end();
    });
    await withServer(server, async (port) => {
      await rawReply(port);
      await rawReply(port);
    });
    const [first, second] = functions;
    expect(first?.every((fn, index) => fn === second?.[index])).toBe(true);
    expect(first).not.toContain(http.ServerResponse.prototype.writeHead);
  });
});

describe('turning it off', () => {
  const isTouched: Listener = (req, res) => {
    const touched = Object.hasOwn(req, 'emit') || Object.hasOwn(res, 'emit') || Object.hasOwn(res, 'writeHead');
    observeFailure(failure('x'));
    res.end(`${touched} ${RequestFailureLog.current() !== undefined}`);
  };
  const bodyNow = async (port: number): Promise<string> => readRaw(await rawReply(port)).body;
  const untouched = /false false/;

  it('disable() and enable(), each also twice', async () => {
    await withServer(http.createServer(isTouched), async (port) => {
      expect(await bodyNow(port)).toMatch(/true true/);
      instrumentation.disable();
      instrumentation.disable();
      expect(await bodyNow(port)).toMatch(untouched);
      instrumentation.enable();
      instrumentation.enable();
      const reply = await rawReply(port);
      expect(readRaw(reply).body).toMatch(/true true/);
      expect(idsOf(reply)).toEqual([['x']]);
      instrumentation.disable();
      expect(await bodyNow(port)).toMatch(untouched);
    });
  });

  it('enabled: false holds although NodeSDK enables it, until setConfig turns it on', async () => {
    instrumentation.disable();
    const off = new NgFailureInstrumentation({ enabled: false });
    off.enable();
    try {
      await withServer(http.createServer(isTouched), async (port) => {
        expect(await bodyNow(port)).toMatch(untouched);
        off.setConfig({});
        expect(await bodyNow(port)).toMatch(/true true/);
        off.setConfig({ enabled: false });
        expect(await bodyNow(port)).toMatch(untouched);
      });
    } finally {
      off.disable();
    }
  });

  it('leaves no old log on a kept-alive connection, pipelined requests included', async () => {
    const server = http.createServer(async (req, res) => {
      const log = RequestFailureLog.current();
      if (req.url === '/1') {
        observeFailure(failure('of-1'));
        instrumentation.disable();
        await delay(20);
      }
      res.end(String(log !== undefined));
    });
    const raw = await withServer(server, (port) =>
      rawReply(port, `GET /1 HTTP/1.1\r\nHost: x\r\n\r\n${GET.replace('/', '/2')}`),
    );
    // The first was open already and keeps what it had.
    expect(idsOf(raw)).toEqual([['of-1'], []]);
    expect(raw.match(/true|false/g)).toEqual(['true', 'false']);
  });

  it('two instances: one acts, and the other goes on alone', async () => {
    const second = new NgFailureInstrumentation();
    try {
      await withServer(http.createServer(isTouched), async (port) => {
        expect(idsOf(await rawReply(port))).toEqual([['x']]);
        instrumentation.disable();
        expect(idsOf(await rawReply(port))).toEqual([['x']]);
        second.disable();
        expect(await bodyNow(port)).toMatch(untouched);
      });
    } finally {
      second.disable();
    }
  });
});

describe('server.maxHeaderBytes', () => {
  const listener: Listener = (_, res) => {
    observeFailure(failure('long', { failure_reason: 'r'.repeat(500) }));
    res.end();
  };

  it('is the most that is sent', async () => {
    instrumentation.setConfig({ server: { maxHeaderBytes: 300 } });
    const raw = await withServer(http.createServer(listener), (port) => rawReply(port));
    expect(readRaw(raw).reports).toEqual(['{"omitted":true}']);
  });

  it.each([NaN, -1, 15, 4097, 100.5, '300'])('%s is not used', async (value) => {
    // A JavaScript user can give anything.
    instrumentation.setConfig(JSON.parse(JSON.stringify({ server: { maxHeaderBytes: value } })));
    const raw = await withServer(http.createServer(listener), (port) => rawReply(port));
    expect(idsOf(raw)).toEqual([['long']]);
  });
});
