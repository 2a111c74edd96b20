import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JaegerApi } from '../../src/command/jaeger/jaeger-api.ts';
import { JaegerError } from '../../src/command/jaeger/jaeger-error.ts';
import { JaegerTraces, type JaegerTracesOptions } from '../../src/command/jaeger/jaeger-traces.ts';
import { TraceFinder } from '../../src/command/jaeger/trace-finder.ts';
import { Problems } from '../../src/command/problems.ts';
import { FakeJaeger } from '../support/fake-jaeger.ts';

/** 128 MiB of white space. */
const BOMB = gzipSync(Buffer.alloc(128 << 20, ' '));

let jaeger: FakeJaeger;
beforeEach(async () => {
  jaeger = await new FakeJaeger().start();
});
afterEach(() => jaeger.stop());

const api = (timeoutSeconds = 10): JaegerApi => new JaegerApi({ address: jaeger.url, timeoutSeconds });

async function failure(work: Promise<unknown>): Promise<JaegerError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof JaegerError) return error;
  throw new Error(`no JaegerError but ${String(error)}`);
}

/** Answers every question with `data`, but says that there is one service. */
function answer(data: (query: URLSearchParams) => readonly unknown[]): void {
  jaeger.intercept = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
    response.end(JSON.stringify({ data: pathname === '/api/services' ? ['agent'] : data(searchParams) }));
    return true;
  };
}

async function readAll(options: Partial<JaegerTracesOptions> = {}): Promise<{ spans: number; told: string[] }> {
  const told: string[] = [];
  const hour = 3_600_000_000;
  const traces = new JaegerTraces({ api: api(), start: 0, end: 24 * hour, ...options });
  let spans = 0;
  for await (const some of traces.spans(new Problems((text) => told.push(text)))) spans += some.length;
  return { spans, told };
}

let made = 0;
function trace(): object {
  made += 1;
  const traceID = made.toString(16);
  return { traceID, spans: [{ traceID, spanID: '1' }] };
}

describe('a packed answer', () => {
  it.each([200, 500])('with status %i is unpacked no further than it is read', async (status) => {
    jaeger.intercept = (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(BOMB);
      return true;
    };
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }, 1);
    const error = await failure(api().search({ service: 'a', start: 0, end: 1, limit: 1, maxBytes: 1 << 20 }));
    clearInterval(watch);
    expect(error.fault).toBe(status === 200 ? 'too_large' : 'unusable');
    expect(most).toBeLessThan(48 << 20);
  });
});

describe('an answer that comes in drops', () => {
  it('is no longer waited for than one that does not come', async () => {
    jaeger.intercept = (_request, response) => {
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
      return true;
    };
    const error = await failure(api(0.5).services());
    expect(error.fault).toBe('timeout');
    expect(jaeger.asked).toHaveLength(1);
  });
});

describe('a Jaeger that always has more', () => {
  it('than it is asked for, at each time: reading ends with what is wrong', async () => {
    answer((query) => Array.from({ length: Number(query.get('limit')) }, (_, index) => ({ traceID: `${index + 1}` })));
    const error = await failure(readAll({ end: 60_000_000 }));
    expect(error.message).toMatch(/^http:\/\/127\.0\.0\.1:\d+: always has more traces than it gives at once/);
    expect(jaeger.asked.length).toBeLessThan(5000);
  });

  it('new traces: reading ends when they are too many', async () => {
    answer((query) => {
      const isLong = Number(query.get('end')) - Number(query.get('start')) > 1_000_000;
      return Array.from({ length: Number(query.get('limit')) - (isLong ? 0 : 1) }, trace);
    });
    const error = await failure(readAll({ maxTraces: 2000 }));
    expect(error.message).toMatch(/: has over 2,000 traces; ask for less with --since or --service$/);
    expect(jaeger.asked.length).toBeLessThan(40);
  });

  it('services than anybody has: none of them is asked about', async () => {
    jaeger.intercept = (_request, response) => {
      response.end(JSON.stringify({ data: Array.from({ length: 10_001 }, (_, index) => `s${index}`) }));
      return true;
    };
    for (const work of [readAll(), new TraceFinder(api()).ofEvent('a')]) {
      expect((await failure(work)).message).toMatch(/: names 10,001 services; is this Jaeger's query API\?$/);
    }
    expect(new Set(jaeger.asked.map(({ path }) => path))).toEqual(new Set(['/api/services']));
  });
});

describe('what Jaeger or a file gives as an id', () => {
  const odd = [
    '../../services',
    '..',
    '%2e%2e',
    'a?b',
    'a#b',
    '\ud800',
    'x'.repeat(1_000_000),
    '//elsewhere/',
    ' ',
    '',
  ];

  it('becomes a part of no address unless it is hex digits', async () => {
    answer(() => odd.map((traceID) => ({ traceID, spans: [{ traceID, spanID: '1' }] })));
    const finder = new TraceFinder(api());
    expect(await finder.ofEvent('a')).toEqual([]);
    expect((await readAll({ end: 1000 })).spans).toBe(0);
    const before = jaeger.asked.length;
    const { backend } = new JaegerTraces({ api: api(), start: 0, end: 1 });
    for await (const spans of backend.spansOfTraces(odd)) expect(spans).toEqual([]);
    expect(jaeger.asked).toHaveLength(before);
    for await (const spans of backend.spansOfTraces(['ABC123'])) expect(spans).toEqual([]);
    expect(jaeger.asked.at(-1)?.path).toBe('/api/traces/ABC123');
  });

  it('that is searched for stays a value of the question', async () => {
    const evil = '"},"service":"other"}&service=other&limit=9#\r\nHost: elsewhere';
    answer(() => []);
    await new TraceFinder(api(), { services: ['agent', evil] }).ofEvent(evil);
    const asked = jaeger.asked.map(({ path, query, headers }) => [
      path,
      query.getAll('service'),
      query.get('tags'),
      headers.host,
    ]);
    const host = new URL(jaeger.url).host;
    const tags = JSON.stringify({ 'nemo.gym.failure.event_id': evil });
    expect(asked).toEqual(['agent', evil].map((service) => ['/api/traces', [service], tags, host]));
  });
});
