import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type DiagLogger, DiagLogLevel, diag } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type UndiciListener, UndiciWatch } from '../../src/transport/undici.ts';
import { refusingOrigin } from '../support/failing-server.ts';
import { portOf } from '../support/http-raw.ts';

let server: Server;
const watches: UndiciWatch[] = [];

beforeAll(async () => {
  server = createServer(async (req, res) => {
    if (req.url === '/hints') await new Promise<void>((sent) => res.writeEarlyHints({ link: '</a>' }, sent));
    res.writeHead(req.url === '/missing' ? 404 : 200, { 'x-way': req.url });
    res.write('one,');
    if (req.url === '/cut') setTimeout(() => req.socket.destroy(), 10);
    else setTimeout(() => res.end('two'), 5);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const watch of watches.splice(0)) watch.disable();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const url = (way: string): string => `http://127.0.0.1:${portOf(server)}/${way}`;

/**
 * Each way to undici: Node's own tells of chunks in other ways than the package. Whichever is loaded first puts its agent
 * below the other one, too.
 */
const WAYS: readonly [string, (address: string) => Promise<string>][] = [
  ['fetch', async (address) => (await fetch(address)).text()],
  [
    'undici.fetch',
    async (address) => {
      const { Agent, fetch: ofPackage } = await import('undici');
      return (await ofPackage(address, { dispatcher: new Agent() })).text();
    },
  ],
  [
    'undici.request',
    async (address) => {
      const { Agent, request } = await import('undici');
      return (await request(address, { dispatcher: new Agent() })).body.text();
    },
  ],
];

/** What a watch hears while `run` runs, all bytes in one line. */
async function heardDuring(run: () => Promise<unknown>, given: Partial<UndiciListener> = {}): Promise<string[]> {
  const heard: string[] = [];
  let bytes = '';
  const watch = new UndiciWatch('watching a test', {
    created: ({ path }) => void heard.push(`created ${path}`),
    replied: (_, { statusCode }) => {
      heard.push(`replied ${statusCode}`);
      return (chunk) => {
        bytes += Buffer.from(chunk).toString();
      };
    },
    ended: () => void heard.push(`ended ${bytes}`),
    broke: (_, error) => void heard.push(`broke ${bytes} ${error instanceof Error}`),
    ...given,
  });
  watches.push(watch);
  watch.enable();
  await run();
  return heard;
}

describe.each(WAYS)('a watch of undici hears of %s', (_, call) => {
  it('from its start to its end, each byte once', async () => {
    const heard = await heardDuring(async () => expect(await call(url('fine'))).toBe('one,two'));
    expect(heard).toEqual(['created /fine', 'replied 200', 'ended one,two']);
  });

  it('without the early hints before the reply', async () => {
    expect(await heardDuring(() => call(url('hints')))).toEqual(['created /hints', 'replied 200', 'ended one,two']);
  });

  it('also when it breaks off', async () => {
    const heard = await heardDuring(() => expect(call(url('cut'))).rejects.toThrow());
    expect(heard).toEqual(['created /cut', 'replied 200', 'broke one, true']);
  });

  it('also that nobody answers', async () => {
    const origin = await refusingOrigin();
    const heard = await heardDuring(() => expect(call(`${origin}/`)).rejects.toThrow());
    expect(heard).toEqual(['created /', 'broke  true']);
  });

  it('without the bytes where nobody wants them', async () => {
    const heard = await heardDuring(() => call(url('missing')), { replied: () => undefined });
    expect(heard).toEqual(['created /missing', 'ended ']);
  });

  it('and a fault of its own changes nothing', async () => {
    const lines: string[] = [];
    const ignore = (): void => {};
    const logger: DiagLogger = {
      error: (line) => void lines.push(line),
      warn: ignore,
      info: ignore,
      debug: ignore,
      verbose: ignore,
    };
    diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
    const fail = (): never => {
      throw new Error('ours');
    };
    const faults: Partial<UndiciListener>[] = [{ created: fail }, { replied: fail }, { replied: () => fail }];
    for (const given of [...faults, { ended: fail }]) {
      await heardDuring(async () => expect(await call(url('fine'))).toBe('one,two'), given);
    }
    diag.disable();
    // One a minute for the same work, whichever way came first.
    expect(lines.length).toBeLessThanOrEqual(1);
    expect(lines.every((line) => line.includes('watching a test failed'))).toBe(true);
  });
});

it('a watch that is turned off hears nothing, and what it watched goes on', async () => {
  const heard = await heardDuring(async () => {
    const response = await fetch(url('fine'));
    for (const watch of watches) watch.disable();
    expect(await response.text()).toBe('one,two');
    await fetch(url('fine')).then((later) => later.text());
  });
  expect(heard).toEqual(['created /fine', 'replied 200']);
});
