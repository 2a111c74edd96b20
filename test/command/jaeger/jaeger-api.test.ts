import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JaegerApi } from '../../../src/command/jaeger/jaeger-api.ts';
import { JaegerError } from '../../../src/command/jaeger/jaeger-error.ts';
import { FakeJaeger, type Intercept, type Reply, refusal } from '../../support/fake-jaeger.ts';
import { attempt, eventId, traceId } from '../../support/rows.ts';
import { span, spanEvent } from '../../support/rows-traces.ts';

let jaeger: FakeJaeger;
beforeEach(async () => {
  jaeger = await new FakeJaeger().start();
});
afterEach(() => jaeger.stop());

const api = (url = jaeger.url, timeoutSeconds = 5): JaegerApi =>
  new JaegerApi({ address: { base: url, headers: {} }, timeoutSeconds });

/** Answers so each time. */
const always =
  ({ code = 200, type = 'application/json', body }: Reply): Intercept =>
  (_request, response) => {
    response.writeHead(code, { 'content-type': type }).end(body);
    return true;
  };

async function failure(asked: Promise<unknown>): Promise<JaegerError> {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof JaegerError)) throw new Error('no JaegerError', { cause: error });
  return error;
}

describe('what Jaeger answers', () => {
  const WINDOW = { service: 'agent', start: 0, end: 2e15, limit: 10 };

  it('are its services, none of them too', async () => {
    expect(await api().services()).toEqual([]);
    jaeger.add('agent', [span({ traceId: traceId(1) })]);
    jaeger.add('__proto__', [span({ traceId: traceId(1) })]);
    expect(await api().services()).toEqual(['agent', '__proto__']);
  });

  it('are traces by a search, as they are stored, and one by its id', async () => {
    const events = [spanEvent(attempt(eventId(1, 0)))];
    jaeger.add('agent', [span({ traceId: traceId(1), events }), span({ traceId: traceId(2) })]);
    const found = await api().search(WINDOW);
    expect(found.map(({ traceID }) => traceID)).toEqual(['0000000000000003', '0000000000000002']);
    const tags = { 'nemo.gym.failure.event_id': eventId(1, 0) };
    expect(await api().search({ ...WINDOW, tags })).toHaveLength(1);
    expect(jaeger.asked.at(-1)?.query.get('raw')).toBe('true');
    expect(await api().trace(traceId(2))).toMatchObject({ traceID: '0000000000000003' });
    expect(await api().trace(traceId(9))).toBeUndefined();
  });

  it('are asked for below the path that it is served under, with the headers given', async () => {
    const below = await new FakeJaeger({ basePath: '/a/jaeger' }).start();
    const address = { base: below.url, headers: { authorization: 'Basic dTpw' } };
    expect(await new JaegerApi({ address }).services()).toEqual([]);
    expect(below.asked).toMatchObject([{ path: '/a/jaeger/api/services', headers: { authorization: 'Basic dTpw' } }]);
    await below.stop();
  });
});

describe('what is no answer of Jaeger', () => {
  it.each<[string, Reply, RegExp]>([
    [
      'a page',
      { type: 'text/html', body: ' <!doctype html>' },
      /answers with a page: this is Jaeger's page or.*such as/,
    ],
    ['other JSON', { body: '{"status":"success","data":{}}' }, /JSON of another form than \{"data":\[…\]\}/],
    ['a list', { body: '["agent"]' }, /JSON of another form/],
    ['names that are none', { body: '{"data":[1]}' }, /JSON of another form/],
    ['an own member __proto__', { body: '{"__proto__":{"data":["agent"]}}' }, /JSON of another form/],
    ['nothing', { body: '' }, /something that is not JSON/],
    ['half of it', { body: '{"data":["age' }, /something that is not JSON/],
    ['404', { code: 404, type: 'text/plain', body: '404 page not found\n' }, /answers 404; .*http:\/\/host\/jaeger/],
    ['401', { code: 401, body: '' }, /answers 401, it wants to know who asks; put user and password into the address/],
    ['403', refusal(403, 'not you'), /answers 403, it wants to know who asks: not you; .*NG_FAILURES_JAEGER_HEADERS/],
    ['400', refusal(400, 'bad \u001b[31m\u202ething'), /answers 400: bad \\u\{1b\}\[31m\\u\{202e\}thing$/],
    ['418', { code: 418, body: 'tea' }, /answers 418$/],
  ])('%s: the error names address and remedy', async (_name, reply, message) => {
    jaeger.intercept = always(reply);
    const error = await failure(api().services());
    expect(error.message).toMatch(message);
    expect(error.message.startsWith(`${jaeger.url}: `)).toBe(true);
    expect(jaeger.asked).toHaveLength(1);
  });

  it('traces that are none', async () => {
    const search = { service: 'agent', start: 0, end: 1, limit: 1 };
    for (const body of ['{"data":[1]}', '{"data":"x"}', '{}']) {
      jaeger.intercept = always({ body });
      expect((await failure(api().search(search))).message).toMatch(/JSON of another form/);
    }
  });

  it('a redirect is not followed, so that no header goes with it', async () => {
    const other = await new FakeJaeger().start();
    jaeger.intercept = (_request, response) => {
      response.writeHead(302, { location: `${other.url}/login?token=secret` }).end();
      return true;
    };
    const { message } = await failure(api().services());
    expect(message).toContain(`answers 302 and sends to ${other.url}/login; give the address`);
    expect(message).not.toContain('secret');
    expect(other.asked).toEqual([]);
    await other.stop();
  });

  it('a port where nobody listens', async () => {
    const gone = await new FakeJaeger().start();
    const { url } = gone;
    await gone.stop();
    const { message } = await failure(api(url).services());
    expect(message).toMatch(/nothing listens there; start Jaeger, or give its address: .* \(ECONNREFUSED\)$/);
  });

  it('a host that is not there', async () => {
    expect((await failure(api('http://jaeger.invalid:16686').services())).message).toMatch(
      /^http:\/\/jaeger\.invalid:16686: there is no host of that name; check the address/,
    );
  });

  it('TLS where there is none', async () => {
    const url = jaeger.url.replace('http:', 'https:');
    expect((await failure(api(url).services())).message).toMatch(/does not speak TLS; try http:\/\//);
  });

  it.each([
    ['closes', (socket: { end: () => void }) => socket.end(), /the connection was closed without an answer/],
    ['speaks gRPC', (socket: { end: (text: string) => void }) => socket.end('\0\0\u0006\u0004'), /HTTP\/1\.1|closed/],
  ])('a port that %s', async (_name, act, message) => {
    const server = createServer((socket) => act(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    expect((await failure(api(`http://127.0.0.1:${port}`).services())).message).toMatch(message);
    server.close();
  });
});

describe('what may pass by itself', () => {
  it('is tried again: a server that is busy, a connection that breaks', async () => {
    let tries = 0;
    jaeger.intercept = (request, response) => {
      tries += 1;
      if (tries === 1) response.writeHead(503).end('busy');
      else if (tries === 2) request.socket.destroy();
      return tries < 3;
    };
    expect(await api().services()).toEqual([]);
    expect(tries).toBe(3);
  });

  it('is given up after the third time, with what Jaeger says', async () => {
    jaeger.intercept = always(refusal(500, 'storage is down'));
    const error = await failure(api().services());
    expect(error.message).toMatch(/answers 500, also when asked again: storage is down; see Jaeger's own log$/);
    expect(jaeger.asked).toHaveLength(3);
  });

  it('is not a limit that is too high: that is refused each time', async () => {
    const error = await failure(api().search({ service: 'agent', start: 0, end: 1, limit: 10_001 }));
    expect(error.fault).toBe('limit_refused');
    expect(jaeger.asked).toHaveLength(1);
  });
});

describe('what has no end', () => {
  it.each<[string, Intercept]>([
    ['an answer that does not begin', () => true],
    ['an answer that stops', (_request, response) => response.write('{"data":[') || true],
  ])('%s: the time-out ends it', async (_name, intercept) => {
    jaeger.intercept = intercept;
    const error = await failure(api(jaeger.url, 0.2).services());
    expect(error.fault).toBe('timeout');
    expect(error.message).toMatch(/no whole answer within 0\.2 s; give it longer with --timeout SECONDS/);
    expect(jaeger.asked).toHaveLength(1);
  });

  it('an answer that goes on is no longer read when it is too large', async () => {
    let closed = false;
    jaeger.intercept = (_request, response) => {
      const more = (): void => {
        while (response.write(' '.repeat(1 << 16)));
      };
      response.on('drain', more).on('close', () => {
        closed = true;
      });
      more();
      return true;
    };
    const error = await failure(api().search({ service: 'a', start: 0, end: 1, limit: 1, maxBytes: 1 << 20 }));
    expect(error.fault).toBe('too_large');
    expect(error.message).toMatch(/an answer of over 1 MiB/);
    await expect.poll(() => closed).toBe(true);
  });
});

it('asks a few at a time, however many questions come at once', async () => {
  let open = 0;
  let most = 0;
  jaeger.intercept = (_request, response) => {
    open += 1;
    most = Math.max(most, open);
    response.on('close', () => {
      open -= 1;
    });
    setImmediate(() => response.end('{"data":[]}'));
    return true;
  };
  const one = api();
  await Promise.all(Array.from({ length: 100 }, () => one.services()));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(8);
});
