import { oneLine } from '../text.ts';
import { IdTable } from '../traces/id-table.ts';
import type { JaegerApi, JaegerTrace, TraceSearch } from './jaeger-api.ts';
import { JaegerError } from './jaeger-error.ts';
import { traceIdOf } from './jaeger-spans.ts';

/** Traces asked for at once, and more where a microsecond has more; storages refuse the large ones at different places. */
const LIMITS: readonly number[] = [400, 1600, 6400, 10_000, 40_000];
const LEAST_LIMIT = 200;
/** Where that many traces go on at the same time, more are asked for in the next window too, up to so many. */
const STICKY_LIMIT = 1600;
/** The share of that number which a window is expected to have. */
const USED_SHARE = 0.75;
/** Fewest traces asked for at once, where they are large. */
const MIN_LIMIT = 2;
/** Largest answer; and where fewer traces cannot be asked for. */
const PAGE_MAX_BYTES = 1 << 24;
const LARGE_MAX_BYTES = 3 << 26;
/** A window of more microseconds is narrowed, though it brings the same traces: Jaeger may give the latest first. */
const SECOND_US = 1e6;

/** What is read, and who is told. */
export interface TracePagesOptions {
  readonly api: Pick<JaegerApi, 'search'>;
  readonly service: string;
  /** Microseconds since 1970, both inclusive. */
  readonly start: number;
  readonly end: number;
  /** Ids of the traces that were read; those of each page are added. */
  readonly seen: IdTable;
  /** Told of the time up to which all is read. */
  readonly onTime: (time: number) => void;
  /** Told of a time of which not all traces could be read. */
  readonly onCut: (text: string) => void;
}

/**
 * All traces of a service in a stretch of time, each once. Jaeger cuts an answer at the limit without saying so, and
 * has no way to go on from there; so the time is read in windows that are narrowed until an answer is shorter than the
 * limit, and so whole. Neighbours share their microsecond: storages may keep nanoseconds, and no span falls between.
 */
export class TracePages {
  readonly #options: TracePagesOptions;
  /** The traces of this service. */
  readonly #met = new IdTable();
  /** The traces of the window before. */
  #before: ReadonlySet<string> = new Set();
  #from: number;
  #width: number;
  /** Traces asked for at once in each window. */
  #pageLimit = LEAST_LIMIT;
  /** The same for this window, where it must be more. */
  #limit = this.#pageLimit;
  /** The highest limit for which this window was not whole. */
  #full = 0;
  /** The lowest limit that Jaeger's storage did not take. */
  #refused = Number.POSITIVE_INFINITY;

  constructor(options: TracePagesOptions) {
    this.#options = options;
    this.#from = options.start;
    this.#width = options.end - options.start;
  }

  /** @throws JaegerError when Jaeger cannot be asked, or one trace is too large to be read */
  async *read(): AsyncGenerator<readonly JaegerTrace[]> {
    const { end, onTime } = this.#options;
    while (this.#from < end) {
      const to = Math.min(end, this.#from + this.#width);
      const traces = await this.#page(to);
      if (traces === undefined) continue;
      const met = this.#met.size;
      const fresh = traces.filter((trace) => this.#isFresh(trace));
      if (fresh.length > 0) yield fresh;
      if (traces.length < this.#limit) this.#advance(to, traces.map(traceIdOf));
      else if (to - this.#from > (this.#met.size > met ? 1 : SECOND_US)) this.#narrow(to);
      else this.#raiseLimit(to, this.#limit);
      onTime(this.#from);
    }
  }

  /** The window's traces; `undefined` when it has to be asked in another way. */
  async #page(to: number): Promise<readonly JaegerTrace[] | undefined> {
    const { api, service } = this.#options;
    const limit = this.#limit;
    const isRaised = limit > this.#pageLimit;
    const maxBytes = isRaised || limit === MIN_LIMIT ? LARGE_MAX_BYTES : PAGE_MAX_BYTES;
    const search: TraceSearch = { service, start: this.#from, end: to, limit, maxBytes };
    try {
      return await api.search(search);
    } catch (error) {
      if (!(error instanceof JaegerError)) throw error;
      const { fault } = error;
      if (fault !== 'limit_refused' && fault !== 'too_large') throw error;
      if (fault === 'limit_refused') this.#refused = Math.min(this.#refused, limit);
      if (isRaised && fault === 'limit_refused') this.#raiseLimit(to, this.#full);
      else if (isRaised) this.#giveUp(to, error);
      else if (limit === MIN_LIMIT) throw error;
      else this.#limit = this.#pageLimit = Math.max(MIN_LIMIT, limit >> 1);
      return undefined;
    }
  }

  #isFresh(trace: JaegerTrace): boolean {
    const { seen } = this.#options;
    const before = seen.size;
    const traceId = traceIdOf(trace);
    seen.add(traceId);
    this.#met.add(traceId);
    return seen.size > before;
  }

  /** The window is whole; the next one is as wide as its traces let expect: those that go on, and as many new ones a second. */
  #advance(to: number, traceIds: readonly string[]): void {
    const count = traceIds.length;
    // Not those that were met: an answer that was cut has met some of each later window.
    const goOn = traceIds.filter((traceId) => this.#before.has(traceId)).length;
    this.#before = new Set(traceIds);
    if (to - this.#from > 1) this.#pageLimit = Math.max(this.#pageLimit, Math.min(this.#limit, STICKY_LIMIT));
    if (this.#pageLimit > LEAST_LIMIT && count < LEAST_LIMIT / 2) this.#pageLimit = LEAST_LIMIT;
    const room = this.#pageLimit * USED_SHARE - goOn;
    const factor = count === goOn ? 8 : Math.min(8, Math.max(0.5, room / (count - goOn)));
    this.#width = Math.max(1, Math.floor((to - this.#from) * factor));
    this.#from = to;
    this.#limit = this.#pageLimit;
  }

  #narrow(to: number): void {
    this.#width = Math.max(1, Math.floor((to - this.#from) / 6));
    this.#limit = this.#pageLimit;
  }

  /** Narrowing did not help: all of it is one microsecond, or the same long traces came again. */
  #raiseLimit(to: number, full: number): void {
    this.#full = full;
    const between = Math.floor((full + this.#refused) / 2);
    const higher = LIMITS.find((limit) => limit > full && limit < this.#refused) ?? (between > full ? between : 0);
    if (Number.isFinite(higher) && higher > 0) this.#limit = higher;
    else this.#giveUp(to);
  }

  /** The window cannot be read whole: a narrower one may be, until it is a microsecond. */
  #giveUp(to: number, cause?: JaegerError): void {
    if (to - this.#from > 1) {
      this.#narrow(to);
      return;
    }
    const { service, onCut } = this.#options;
    const time = new Date(this.#from / 1000).toISOString();
    const why = cause === undefined ? '' : ` (${cause.message})`;
    onCut(
      `service ${oneLine(service, 80)} has more traces at ${time} than Jaeger gives at once; some of them are not read${why}`,
    );
    this.#advance(to, []);
  }
}
