import { isPlainObject } from '../../records/json.ts';
import { counted } from '../text.ts';
import { type JaegerAddress, jaegerAddress } from './address.ts';
import { JaegerClient } from './client.ts';
import { NOT_JAEGER } from './faults.ts';
import { isHex } from './jaeger-spans.ts';

/** Time-out of one request, in seconds. */
export const DEFAULT_TIMEOUT_SECONDS = 30;
/** Largest answer that is read: what it parses to must fit in memory too. */
const MAX_BYTES = 1 << 26;
/** Each service costs a question of its own. */
const MAX_SERVICES = 10_000;

/** A trace as Jaeger's query API writes it; see jaeger-spans.ts for what is read of it. */
export type JaegerTrace = Readonly<Record<string, unknown>>;

/** How Jaeger is asked. */
export interface JaegerOptions {
  /** Where it is; a text is read as {@link jaegerAddress} does, with the process's environment. */
  readonly address: string | JaegerAddress;
  /** Of each request; default 30. */
  readonly timeoutSeconds?: number;
}

/** Which traces are looked for: those with a span of the service that starts in the time and has the tags. */
export interface TraceSearch {
  readonly service: string;
  /** Microseconds since 1970, both inclusive. */
  readonly start: number;
  readonly end: number;
  /** Most traces of the answer; Jaeger cuts there and does not say so. */
  readonly limit: number;
  /** Attributes of one span, or of its events, with their values. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Largest answer that is read, in bytes. */
  readonly maxBytes?: number;
}

/** Jaeger's query API, as far as it is needed here. Every method throws JaegerError when Jaeger cannot be asked. */
export class JaegerApi {
  readonly #client: JaegerClient;

  /** @throws UsageError when the address is none */
  constructor({ address, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS }: JaegerOptions) {
    const read = typeof address === 'string' ? jaegerAddress(address, process.env) : address;
    this.#client = new JaegerClient(read, timeoutSeconds);
  }

  /** Where Jaeger is, with nothing secret in it. */
  get base(): string {
    return this.#client.base;
  }

  /** The names of all services that Jaeger has spans of. */
  async services(): Promise<readonly string[]> {
    const reply = await this.#client.get({ path: '/api/services', maxBytes: MAX_BYTES });
    const names = this.#list(reply, (name) => typeof name === 'string');
    if (names.length <= MAX_SERVICES) return names;
    throw this.#client.error('unusable', `names ${counted(names.length, 'service')}; is this Jaeger's query API?`);
  }

  /** The traces that are looked for, whole, in the order in which Jaeger finds them. */
  async search({
    service,
    start,
    end,
    limit,
    tags,
    maxBytes = MAX_BYTES,
  }: TraceSearch): Promise<readonly JaegerTrace[]> {
    // As stored: Jaeger would otherwise move spans in time where it thinks that a clock was wrong.
    const query = new URLSearchParams({ service, start: `${start}`, end: `${end}`, limit: `${limit}`, raw: 'true' });
    if (tags !== undefined) query.set('tags', JSON.stringify(tags));
    return this.#traces(await this.#client.get({ path: '/api/traces', query, maxBytes }));
  }

  /** The trace that has this id; none has an id that is not hex digits, as a file may hold, and that is not asked for. */
  async trace(traceId: string): Promise<JaegerTrace | undefined> {
    if (!isHex(traceId)) return undefined;
    const query = new URLSearchParams({ raw: 'true' });
    const path = `/api/traces/${traceId}`;
    const reply = await this.#client.get({ path, query, maxBytes: MAX_BYTES });
    return reply === undefined ? undefined : this.#traces(reply)[0];
  }

  #traces(reply: Readonly<Record<string, unknown>> | undefined): readonly JaegerTrace[] {
    return this.#list(reply, (trace) => isPlainObject(trace));
  }

  /** The list of an answer; `null` stands for an empty one: Jaeger is written in Go. */
  #list<T>(
    reply: Readonly<Record<string, unknown>> | undefined,
    isMember: (value: unknown) => value is T,
  ): readonly T[] {
    const data = reply?.data;
    if (data === null) return [];
    if (Array.isArray(data) && data.every(isMember)) return data;
    throw this.#client.error('unusable', NOT_JAEGER.json);
  }
}
