import { once } from 'node:events';
import http from 'node:http';
import { portOf } from './http-raw.ts';

type Values = Readonly<Record<string, unknown>>;

/** A span as it came over OTLP, its attributes by name. */
export interface ReceivedSpan {
  readonly name: string;
  /** 2: a request that was served; 3: a call. */
  readonly kind: number;
  readonly service: unknown;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Values;
  readonly events: readonly { readonly name: string; readonly attributes: Values }[];
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Values;
}
interface OtlpEvent {
  readonly name: string;
  readonly attributes?: readonly OtlpAttribute[];
}
interface OtlpSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes?: readonly OtlpAttribute[];
  readonly events?: readonly OtlpEvent[];
}
interface OtlpMetric {
  readonly name: string;
}
interface OtlpLogRecord {
  readonly eventName?: string;
  readonly attributes?: readonly OtlpAttribute[];
}
interface OtlpExport {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  }[];
  readonly resourceLogs?: readonly {
    readonly scopeLogs: readonly { readonly logRecords: readonly OtlpLogRecord[] }[];
  }[];
}

/** Where programs send their telemetry to, as `http/json`. */
export interface OtlpReceiver {
  readonly endpoint: string;
  readonly spans: ReceivedSpan[];
  /** Names of the metrics that came. */
  readonly metrics: Set<string>;
  /** Attributes of the log records that came. */
  readonly logs: Values[];
  close(): Promise<void>;
}

export async function receiveOtlp(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics = new Set<string>();
  const logs: Values[] = [];
  const server = http.createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      const sent: OtlpExport = JSON.parse(text);
      spans.push(...spansOf(sent));
      for (const { scopeMetrics } of sent.resourceMetrics ?? []) {
        for (const scope of scopeMetrics) for (const { name } of scope.metrics) metrics.add(name);
      }
      for (const { scopeLogs } of sent.resourceLogs ?? []) {
        for (const scope of scopeLogs) logs.push(...scope.logRecords.map(({ attributes }) => valuesOf(attributes)));
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { endpoint: `http://127.0.0.1:${portOf(server)}`, spans, metrics, logs, close };
}

function spansOf({ resourceSpans = [] }: OtlpExport): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = valuesOf(resource.attributes)['service.name'];
    return scopeSpans
      .flatMap((scope) => scope.spans)
      .map((span) => ({
        name: span.name,
        kind: span.kind,
        service,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        attributes: valuesOf(span.attributes),
        events: (span.events ?? []).map(({ name, attributes }) => ({ name, attributes: valuesOf(attributes) })),
      }));
  });
}

/** Single values only: no attribute that is looked at holds a list. */
function valuesOf(attributes: readonly OtlpAttribute[] = []): Values {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
