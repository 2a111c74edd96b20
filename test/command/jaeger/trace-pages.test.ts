import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JaegerTrace, TraceSearch } from '../../../src/command/jaeger/jaeger-api.ts';
import { JaegerError } from '../../../src/command/jaeger/jaeger-error.ts';
import { traceIdOf } from '../../../src/command/jaeger/jaeger-spans.ts';
import { TracePages } from '../../../src/command/jaeger/trace-pages.ts';
import { IdTable } from '../../../src/command/traces/id-table.ts';
import { PROPERTY_TIMEOUT_MS, runs } from '../../support/runs.ts';

/** A span: its trace, and when it starts, in microseconds with nanoseconds behind the point. */
interface At {
  readonly trace: number;
  readonly at: number;
}

const END = 40;

/** A storage that gives at most `most` traces, the latest stored first, and refuses to be asked for more. */
class Storage {
  requests = 0;
  readonly #spans: readonly At[];
  readonly #most: number;

  constructor(spans: readonly At[], most: number) {
    this.#spans = spans;
    this.#most = most;
  }

  async search({ start, end, limit }: TraceSearch): Promise<readonly JaegerTrace[]> {
    this.requests += 1;
    if (limit > this.#most) throw new JaegerError('limit_refused', 'too many');
    const inside = this.#spans.filter(({ at }) => at >= start && at <= end);
    const ids = [...new Set(inside.map(({ trace }) => trace))].sort((one, other) => other - one);
    return ids.slice(0, limit).map((trace) => ({ traceID: trace.toString(16), spans: [] }));
  }

  /** The most traces that have spans within the same microsecond, the next one's first nanosecond with it. */
  get crowd(): number {
    const starts = this.#spans.map(({ at }) => Math.floor(at));
    return Math.max(0, ...starts.flatMap((start) => [start - 1, start]).map((start) => this.#within(start).size));
  }

  #within(start: number): ReadonlySet<number> {
    return new Set(this.#spans.filter(({ at }) => at >= start && at <= start + 1).map(({ trace }) => trace));
  }
}

const moments = fc.oneof(
  fc.nat(END),
  fc.nat(END * 4).map((quarter) => quarter / 4),
);
const spans = fc.array(fc.record({ trace: fc.nat(15), at: moments }), { maxLength: 30 });

it(
  'gives each trace once, whatever the times and the storage’s highest limit, or says that it does not',
  async () => {
    await fc.assert(
      fc.asyncProperty(spans, fc.integer({ min: 2, max: 20 }), async (all, most) => {
        const storage = new Storage(all, most);
        const cuts: string[] = [];
        const pages = new TracePages({
          api: storage,
          service: 's',
          start: 0,
          end: END,
          seen: new IdTable(),
          onTime: () => {},
          onCut: (text) => cuts.push(text),
        });
        const ids: string[] = [];
        for await (const page of pages.read()) ids.push(...page.map(traceIdOf));
        const wanted = new Set(all.map(({ trace }) => trace.toString(16).padStart(32, '0')));
        expect(new Set(ids).size).toBe(ids.length);
        expect(cuts.length > 0).toBe(storage.crowd >= most);
        if (cuts.length === 0) expect(new Set(ids)).toEqual(wanted);
        expect(storage.requests).toBeLessThan(600);
      }),
      runs(),
    );
  },
  PROPERTY_TIMEOUT_MS,
);

it('asks seldom where traces go on for longer than a window: what an answer that was cut told is no new trace', async () => {
  const starts = Array.from({ length: 3000 }, (_, trace) => trace);
  const all = starts.flatMap((trace) => [0, 100, 200].map((later) => ({ trace, at: (trace + later) * 1e6 })));
  const storage = new Storage(all, 10_000);
  const told = { onTime: () => {}, onCut: () => {} };
  const pages = new TracePages({ api: storage, service: 's', start: 0, end: 3600e6, seen: new IdTable(), ...told });
  let traces = 0;
  for await (const page of pages.read()) traces += page.length;
  expect(traces).toBe(3000);
  expect(storage.requests).toBeLessThan(120);
});
