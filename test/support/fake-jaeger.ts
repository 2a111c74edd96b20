import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type JaegerSpan, type StoredSpan, stored } from './fake-jaeger-spans.ts';

/** Takes a request out of the fake's hands; true when it did. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** What a request asked for. */
export interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

/** An answer; by default 200 with JSON. */
export interface Reply {
  readonly code?: number;
  readonly type?: string;
  readonly body: string;
}

/**
 * A small Jaeger: its query API over the memory storage, as v1.76 answers (test/e2e/jaeger-command.test.ts holds the
 * two side by side). The traces stored last come first, an answer is cut at the limit, and a limit over `maxTraces` is
 * refused.
 */
export class FakeJaeger {
  readonly asked: Asked[] = [];
  /** Bytes of white space behind an answer. */
  padding: (query: URLSearchParams) => number = () => 0;
  /** Set to misbehave. */
  intercept: Intercept = () => false;
  /** Path that it is served under. */
  readonly #basePath: string;
  readonly #maxTraces: number;
  readonly #server: Server;
  readonly #traces = new Map<string, StoredSpan[]>();

  constructor({ basePath = '', maxTraces = 10_000 }: { basePath?: string; maxTraces?: number } = {}) {
    this.#basePath = basePath;
    this.#maxTraces = maxTraces;
    this.#server = createServer((request, response) => this.#serve(request, response));
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await once(this.#server.close(), 'close');
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}${this.#basePath}`;
  }

  /** Stores spans of a service, given in OTLP's JSON form. */
  add(service: string, spans: readonly object[]): void {
    for (const span of spans) {
      const one = stored(span, service);
      const trace = this.#traces.get(one.traceId);
      if (trace === undefined) this.#traces.set(one.traceId, [one]);
      else trace.push(one);
    }
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://fake');
    this.asked.push({ path: url.pathname, query: url.searchParams, headers: request.headers });
    if (this.intercept(request, response)) return;
    const below = url.pathname.startsWith(`${this.#basePath}/`) ? url.pathname.slice(this.#basePath.length) : '';
    const { code = 200, type = 'application/json', body } = this.#reply(below, url.searchParams);
    response.writeHead(code, { 'content-type': type });
    response.end(body + ' '.repeat(this.padding(url.searchParams)));
  }

  #reply(path: string, query: URLSearchParams): Reply {
    if (path === '/api/services') return this.#services();
    if (path === '/api/traces') return this.#search(query);
    const [, traceId] = /^\/api\/traces\/([^/]+)$/.exec(path) ?? [];
    if (traceId !== undefined) return this.#trace(traceId);
    return {
      type: 'text/html; charset=utf-8',
      body: '<!DOCTYPE html>\n<html lang="en"><title>Jaeger</title></html>\n',
    };
  }

  #services(): Reply {
    const names = new Set([...this.#traces.values()].flat().map(({ service }) => service));
    return answer(names.size === 0 ? null : [...names], names.size);
  }

  #search(query: URLSearchParams): Reply {
    const limit = Number(query.get('limit') ?? 100);
    if (!query.get('service')) return refusal(400, "parameter 'service' is required");
    if (limit <= 0 || limit > this.#maxTraces) {
      return refusal(500, 'search depth must be greater than 0 and less than max traces');
    }
    const found: object[] = [];
    for (const [traceId, spans] of [...this.#traces].reverse()) {
      if (found.length === limit) break;
      if (spans.some((span) => matches(span, query))) found.push(traceOf(traceId, spans));
    }
    return answer(found);
  }

  #trace(text: string): Reply {
    const traceId = text.padStart(32, '0');
    const spans = this.#traces.get(traceId);
    return spans === undefined ? refusal(404, 'trace not found') : answer([traceOf(traceId, spans)]);
  }
}

function matches(span: StoredSpan, query: URLSearchParams): boolean {
  const tags: Record<string, string> = JSON.parse(query.get('tags') ?? '{}');
  const start = BigInt(query.get('start') ?? 0) * 1000n;
  const end = BigInt(query.get('end') ?? 0) * 1000n;
  if (span.service !== query.get('service') || span.startNs < start || span.startNs > end) return false;
  const lists = [span.json.tags, ...span.json.logs.map(({ fields }) => fields)];
  return Object.entries(tags).every(([key, value]) =>
    lists.some((list) => list.some((tag) => tag.key === key && String(tag.value) === value)),
  );
}

function traceOf(traceId: string, spans: readonly StoredSpan[]): object {
  const services = [...new Set(spans.map(({ service }) => service))];
  const processes = services.map((serviceName, at) => [`p${at + 1}`, { serviceName, tags: [] }]);
  const withProcess = spans.map(({ json, service }): JaegerSpan & { processID: string; warnings: null } => ({
    ...json,
    processID: `p${services.indexOf(service) + 1}`,
    warnings: null,
  }));
  const traceID = traceId.replace(/^0{16}/, '');
  return { traceID, spans: withProcess, processes: Object.fromEntries(processes), warnings: null };
}

function answer(data: unknown, total = 0): Reply {
  return { body: JSON.stringify({ data, total, limit: 0, offset: 0, errors: null }) };
}

/** As Jaeger refuses. */
export function refusal(code: number, msg: string): Reply {
  const body = `${JSON.stringify({ data: null, total: 0, limit: 0, offset: 0, errors: [{ code, msg }] })}\n`;
  return { code, type: 'text/plain; charset=utf-8', body };
}
