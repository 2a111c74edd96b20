import { EVENT_ID, ROLLOUT_ID } from '../../instrumentation/attributes.ts';
import type { JaegerApi, JaegerTrace } from './jaeger-api.ts';
import { traceIdOf } from './jaeger-spans.ts';
import { FIND_MAX_CHARS } from './links.ts';

const DAY_US = 24 * 3600 * 1e6;
/** How far back is looked, in days: longer than Jaegers keep traces, and storages with an index a day bear it. */
export const FINDER_DAYS = 30;
/** Most traces that are given back for one id. */
const MAX_TRACES = 20;

/** Which of Jaeger's services are asked, and about which time. */
export interface TraceFinderOptions {
  /** Default: all that Jaeger has. */
  readonly services?: readonly string[];
  /** Microseconds since 1970; default: 30 days before `end`. */
  readonly start?: number;
  /** Default: an hour from now, for clocks that are fast. */
  readonly end?: number;
}

/** Finds traces in Jaeger by what their spans and events say. Any number of questions may be asked at once. */
export class TraceFinder {
  readonly #api: JaegerApi;
  readonly #start: number;
  readonly #end: number;
  #services: Promise<string[]> | undefined;

  constructor(api: JaegerApi, { services, end = Date.now() * 1000 + DAY_US / 24, start }: TraceFinderOptions = {}) {
    this.#api = api;
    this.#end = end;
    this.#start = start ?? end - FINDER_DAYS * DAY_US;
    if (services !== undefined) this.#services = Promise.resolve([...services]);
  }

  /**
   * The ids of traces that have the failure event; empty when Jaeger has none.
   *
   * @throws JaegerError when Jaeger cannot be asked
   */
  async ofEvent(eventId: string): Promise<readonly string[]> {
    return idsOf(await this.tracesOfEvent(eventId));
  }

  /**
   * The ids of traces in which a span names the rollout; empty when Jaeger has none.
   *
   * @throws JaegerError when Jaeger cannot be asked
   */
  async ofRollout(rolloutId: string): Promise<readonly string[]> {
    return idsOf(await this.tracesOfRollout(rolloutId));
  }

  /** The same traces as {@link ofEvent}, whole. */
  async tracesOfEvent(eventId: string): Promise<readonly JaegerTrace[]> {
    return this.#find(EVENT_ID, eventId);
  }

  /** The same traces as {@link ofRollout}, whole. */
  async tracesOfRollout(rolloutId: string): Promise<readonly JaegerTrace[]> {
    return this.#find(ROLLOUT_ID, rolloutId);
  }

  /** Jaeger searches one service at a time; the first that has the value will do, its traces come whole. */
  async #find(attribute: string, value: string): Promise<readonly JaegerTrace[]> {
    if (value === '' || value.length > FIND_MAX_CHARS) return [];
    this.#services ??= this.#api.services().then((names) => [...names]);
    const services = await this.#services;
    for (const service of [...services]) {
      const search = { service, start: this.#start, end: this.#end, limit: MAX_TRACES };
      const traces = await this.#api.search({ ...search, tags: { [attribute]: value } });
      if (traces.length === 0) continue;
      moveToFront(services, service);
      return traces;
    }
    return [];
  }
}

function idsOf(traces: readonly JaegerTrace[]): readonly string[] {
  return traces.map(traceIdOf).filter((id) => id !== '');
}

/** The service that had the last one most of the time has the next one too. */
function moveToFront(services: string[], service: string): void {
  if (services[0] === service) return;
  services.splice(services.indexOf(service), 1);
  services.unshift(service);
}
