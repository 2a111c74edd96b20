import { describe, expect, it } from 'vitest';
import { JaegerApi } from '../../../src/command/jaeger/jaeger-api.ts';
import { JaegerTraces } from '../../../src/command/jaeger/jaeger-traces.ts';
import { Problems } from '../../../src/command/problems.ts';
import { FakeJaeger } from '../../support/fake-jaeger.ts';
import { attempt, eventId, rolloutId, traceId } from '../../support/rows.ts';
import { spanEvent } from '../../support/rows-traces.ts';
import { timedSpan } from '../../support/timed-span.ts';

const START = 1_790_000_000_000_000;
const HOUR = 3_600_000_000;

interface Given {
  readonly jaeger: FakeJaeger;
  readonly end?: number;
  readonly services?: readonly string[];
}

/** Each time that a trace was given, and what was said. */
async function read({ jaeger, end = START + HOUR, services }: Given) {
  const api = new JaegerApi({ address: { base: jaeger.url, headers: {} } });
  const said: string[] = [];
  const problems = new Problems((text) => said.push(text));
  const source = new JaegerTraces({ api, start: START, end, ...(services === undefined ? {} : { services }) });
  const spans = [];
  for await (const some of source.spans(problems)) spans.push(...some);
  const ids = spans.map((span) => span.traceId).sort();
  return { spans, ids, said: said.join(''), cuts: problems.cuts, requests: jaeger.asked.length };
}

/** Adds a trace of one span; `at` is in microseconds from the start, with nanoseconds behind the point. */
function add(jaeger: FakeJaeger, index: number, at: number, service = 'agent'): void {
  const startNs = BigInt(START) * 1000n + BigInt(Math.round(at * 1000));
  jaeger.add(service, [timedSpan({ traceId: traceId(index) }, startNs)]);
}

const idsTo = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => traceId(index)).sort();

async function withJaeger<T>(maxTraces: number, use: (jaeger: FakeJaeger) => Promise<T>): Promise<T> {
  const jaeger = await new FakeJaeger({ maxTraces }).start();
  try {
    return await use(jaeger);
  } finally {
    await jaeger.stop();
  }
}

describe('the traces of a stretch of time', () => {
  it('are all read, each once, though an answer is cut at 200, in few questions', async () => {
    await withJaeger(10_000, async (jaeger) => {
      for (let index = 0; index < 3000; index += 1) add(jaeger, index, (index * HOUR) / 3000);
      const { ids, said, requests } = await read({ jaeger });
      expect(ids).toEqual(idsTo(3000));
      expect(said).toBe('');
      expect(requests).toBeLessThan(40);
    });
  });

  it('are all read where they lie close together in a long time', async () => {
    await withJaeger(10_000, async (jaeger) => {
      for (let index = 0; index < 1000; index += 1) add(jaeger, index, 700 * HOUR + index * 50);
      const { ids, requests } = await read({ jaeger, end: START + 720 * HOUR });
      expect(ids).toEqual(idsTo(1000));
      expect(requests).toBeLessThan(150);
    });
  });

  it('are read though they start between two microseconds, where windows meet', async () => {
    await withJaeger(10_000, async (jaeger) => {
      for (let index = 0; index < 2000; index += 1) add(jaeger, index, index * 0.25 + 0.001);
      expect((await read({ jaeger, end: START + 600 })).ids).toEqual(idsTo(2000));
    });
  });

  it('are read where more than a page start in the same microsecond: more are asked for then', async () => {
    await withJaeger(10_000, async (jaeger) => {
      for (let index = 0; index < 900; index += 1) add(jaeger, index, 5_000_000);
      const { ids, said } = await read({ jaeger });
      expect(ids).toEqual(idsTo(900));
      expect(said).toBe('');
    });
  });

  it('are read where they all last for the whole time, in few questions', async () => {
    await withJaeger(10_000, async (jaeger) => {
      for (let index = 0; index < 300; index += 1) {
        for (let at = 0; at < 100; at += 1) add(jaeger, index, 1 + at * 1_000_000 + index);
      }
      const { ids, said, requests } = await read({ jaeger, end: START + 100_000_000 });
      expect(new Set(ids)).toEqual(new Set(idsTo(300)));
      expect(said).toBe('');
      expect(requests).toBeLessThan(60);
    });
  });

  it('are read from a storage that takes no high limit', async () => {
    await withJaeger(30, async (jaeger) => {
      for (let index = 0; index < 200; index += 1) add(jaeger, index, index * 1_000_000);
      for (let index = 200; index < 229; index += 1) add(jaeger, index, 42);
      expect((await read({ jaeger })).ids).toEqual(idsTo(229));
    });
  });

  it('that Jaeger does not give are told of, and the others are read', async () => {
    await withJaeger(30, async (jaeger) => {
      for (let index = 0; index < 40; index += 1) add(jaeger, index, 5_000_000);
      for (let index = 40; index < 80; index += 1) add(jaeger, index, 6_000_000 + index * 1000);
      const { ids, said, cuts } = await read({ jaeger });
      expect(ids).toHaveLength(70);
      expect(ids).toEqual(expect.arrayContaining([...idsTo(80)].slice(40)));
      // The windows on both sides share the microsecond.
      expect([1, 2]).toContain(cuts);
      expect(said).toContain('service agent has more traces at 2026-09-21T14:13:25.000Z than Jaeger gives at once');
    });
  });

  it('are read in smaller answers where they are large', async () => {
    await withJaeger(10_000, async (jaeger) => {
      for (let index = 0; index < 40; index += 1) add(jaeger, index, index * 60_000_000);
      jaeger.padding = (query) => Number(query.get('limit')) * 400_000;
      expect((await read({ jaeger })).ids).toEqual(idsTo(40));
      expect(new Set(jaeger.asked.map(({ query }) => query.get('limit')))).toEqual(
        new Set([null, '200', '100', '50', '25']),
      );
    });
  });
});

describe('services', () => {
  it('that share a trace give it once, with the spans of all', async () => {
    await withJaeger(100, async (jaeger) => {
      const events = [spanEvent(attempt(eventId(1, 0)))];
      const parts = { traceId: traceId(1), spanId: 'a'.repeat(16), rolloutId: rolloutId(1) };
      jaeger.add('agent', [timedSpan(parts, BigInt(START) * 1000n + 5n)]);
      jaeger.add('model', [
        timedSpan({ ...parts, spanId: 'b'.repeat(16), parentSpanId: 'a'.repeat(16), events }, BigInt(START) * 1000n),
      ]);
      const { spans } = await read({ jaeger });
      const sighting = { eventId: eventId(1, 0), kind: 'transport_timeout', boundary: 'model' };
      expect(spans).toEqual([
        { traceId: traceId(1), spanId: 'a'.repeat(16), parentSpanId: '', rolloutId: rolloutId(1), sightings: [] },
        {
          traceId: traceId(1),
          spanId: 'b'.repeat(16),
          parentSpanId: 'a'.repeat(16),
          rolloutId: rolloutId(1),
          sightings: [{ ...sighting, stage: undefined, causeId: undefined }],
        },
      ]);
    });
  });

  it('can be chosen; one that Jaeger does not have is named', async () => {
    await withJaeger(100, async (jaeger) => {
      add(jaeger, 1, 0, 'agent');
      add(jaeger, 2, 0, 'shop\u001b[2J');
      const { ids, said } = await read({ jaeger, services: ['agent', 'agnet'] });
      expect(ids).toEqual([traceId(1)]);
      expect(said).toBe(`${jaeger.url}: Jaeger has no service agnet; it has agent, shop\\u{1b}[2J\n`);
    });
  });

  it('without a trace in the time are told of, with the time', async () => {
    await withJaeger(100, async (jaeger) => {
      const { ids, said } = await read({ jaeger });
      expect(ids).toEqual([]);
      expect(said).toMatch(
        /: Jaeger has no trace from 2026-09-21T.*Z to 2026-09-21T.*Z; --since TIME reads further back/,
      );
    });
  });
});
