import type { Problems } from '../problems.ts';
import { counted, oneLine } from '../text.ts';
import { IdTable } from '../traces/id-table.ts';
import type { SpanFacts, TraceBackend, TraceSource } from '../traces/traces.ts';
import type { JaegerApi, JaegerTrace } from './jaeger-api.ts';
import { JaegerError } from './jaeger-error.ts';
import { spansOf } from './jaeger-spans.ts';
import { TraceFinder } from './trace-finder.ts';
import { TracePages } from './trace-pages.ts';

/** Times of which not all traces could be read; a Jaeger that has more of them never has less than it is asked for. */
const MAX_CUTS = 50;
/** Traces after which it is of no use to go on: their ids alone would fill the memory. */
const MAX_TRACES = 10_000_000;

/** Which of Jaeger's traces are read. */
export interface JaegerTracesOptions {
  readonly api: JaegerApi;
  /** Microseconds since 1970, both inclusive. */
  readonly start: number;
  readonly end: number;
  /** Only traces with a span of one of these services; default: all. */
  readonly services?: readonly string[];
  /** Told how far it is. */
  readonly onProgress?: (text: string) => void;
  /** Traces after which reading ends as a fault; default ten million. */
  readonly maxTraces?: number;
}

/** Traces in a real Jaeger, read through its query API. */
export class JaegerTraces implements TraceSource {
  readonly name: string;
  readonly backend: TraceBackend;
  readonly #options: JaegerTracesOptions;
  readonly #mostTraces: number;

  constructor(options: JaegerTracesOptions) {
    const { api, services, maxTraces = MAX_TRACES } = options;
    this.#options = options;
    this.#mostTraces = maxTraces;
    this.name = api.base;
    const finder = new TraceFinder(api, services === undefined ? {} : { services });
    this.backend = {
      spansOfTraces: (traceIds) => this.#spansOfTraces(traceIds),
      spansOfEvent: async (eventId) => (await finder.tracesOfEvent(eventId)).flatMap(spansOf),
      spansOfRollout: async (rolloutId) => (await finder.tracesOfRollout(rolloutId)).flatMap(spansOf),
    };
  }

  async *spans(problems: Problems): AsyncGenerator<readonly SpanFacts[]> {
    const services = await this.#services(problems);
    const seen = new IdTable();
    let cuts = 0;
    const { start, end, api } = this.#options;
    for (const [place, service] of services.entries()) {
      const onTime = (time: number): void => {
        const part = (place + (time - start) / (end - start)) / services.length;
        this.#tell(`${Math.floor(part * 100)} %, ${seen.size.toLocaleString('en-US')} traces`);
      };
      const onCut = (text: string): void => {
        problems.cut(this.name, text);
        cuts += 1;
        if (cuts > MAX_CUTS) throw this.#tooMuch('always has more traces than it gives at once; is it Jaeger?');
      };
      for await (const traces of new TracePages({ api, service, start, end, seen, onTime, onCut }).read()) {
        if (seen.size > this.#mostTraces) throw this.#tooMuch(`has over ${counted(this.#mostTraces, 'trace')}`);
        yield traces.flatMap(spansOf);
      }
    }
    if (seen.size > 0) return;
    const times = [start, end].map((time) => new Date(time / 1000).toISOString());
    problems.note(this.name, `Jaeger has no trace from ${times.join(' to ')}; --since TIME reads further back`);
  }

  /** The services that are read: those asked for which Jaeger knows, or all. */
  async #services(problems: Problems): Promise<readonly string[]> {
    const { api, services: wanted } = this.#options;
    const known = await api.services();
    const unknown = wanted?.filter((service) => !known.includes(service)) ?? [];
    if (unknown.length > 0) {
      const list = known.length === 0 ? 'it has none' : `it has ${oneLine(known.join(', '))}`;
      problems.note(this.name, `Jaeger has no service ${oneLine(unknown.join(', '))}; ${list}`);
    }
    return wanted?.filter((service) => known.includes(service)) ?? known;
  }

  async *#spansOfTraces(traceIds: Iterable<string>): AsyncGenerator<readonly SpanFacts[]> {
    for (const traceId of traceIds) {
      const trace: JaegerTrace | undefined = await this.#options.api.trace(traceId);
      if (trace !== undefined) yield spansOf(trace);
    }
  }

  #tooMuch(what: string): JaegerError {
    return new JaegerError('unusable', `${oneLine(this.name)}: ${what}; ask for less with --since or --service`);
  }

  #tell(text: string): void {
    this.#options.onProgress?.(`reading ${this.name}: ${text}`);
  }
}
