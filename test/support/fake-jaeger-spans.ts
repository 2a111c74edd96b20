/** An attribute in Jaeger's form. */
export interface JaegerTag {
  readonly key: string;
  readonly type: string;
  readonly value: unknown;
}

/** A span in Jaeger's form. */
export interface JaegerSpan {
  readonly traceID: string;
  readonly spanID: string;
  readonly operationName: string;
  readonly references: readonly { readonly refType: string; readonly traceID: string; readonly spanID: string }[];
  /** Microseconds. */
  readonly startTime: number;
  readonly duration: number;
  readonly tags: readonly JaegerTag[];
  readonly logs: readonly { readonly timestamp: number; readonly fields: readonly JaegerTag[] }[];
}

/** A span as the storage has it: searches compare nanoseconds, answers have microseconds. */
export interface StoredSpan {
  readonly traceId: string;
  readonly service: string;
  readonly startNs: bigint;
  readonly json: JaegerSpan;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly events: readonly {
    readonly timeUnixNano: string;
    readonly name: string;
    readonly attributes: readonly OtlpAttribute[];
  }[];
}

const KINDS = ['', 'internal', 'server', 'client', 'producer', 'consumer'];

function isOtlpSpan(value: object): value is OtlpSpan {
  return 'traceId' in value && 'startTimeUnixNano' in value && 'attributes' in value;
}

/** What Jaeger keeps of a span that came in OTLP's JSON form. */
export function stored(span: object, service: string): StoredSpan {
  if (!isOtlpSpan(span)) throw new TypeError('not a span in OTLP form');
  const startNs = BigInt(span.startTimeUnixNano);
  const traceID = span.traceId.replace(/^0{16}/, '');
  const kind = KINDS[span.kind] ?? '';
  const json: JaegerSpan = {
    traceID,
    spanID: span.spanId,
    operationName: span.name,
    references: span.parentSpanId === '' ? [] : [{ refType: 'CHILD_OF', traceID, spanID: span.parentSpanId }],
    startTime: Number(startNs / 1000n),
    duration: Number((BigInt(span.endTimeUnixNano) - startNs) / 1000n),
    tags: [
      tag('otel.scope.name', 'opentelemetry-instrumentation-nemo-gym'),
      ...span.attributes.map(tagOf),
      ...(kind === '' ? [] : [tag('span.kind', kind)]),
    ],
    logs: span.events.map((event) => ({
      timestamp: Number(BigInt(event.timeUnixNano) / 1000n),
      fields: [tag('event', event.name), ...event.attributes.map(tagOf)],
    })),
  };
  return { traceId: span.traceId, service, startNs, json };
}

function tag(key: string, value: string): JaegerTag {
  return { key, type: 'string', value };
}

function tagOf({ key, value }: OtlpAttribute): JaegerTag {
  const [form = 'stringValue', given] = Object.entries(value)[0] ?? [];
  if (form === 'intValue') return { key, type: 'int64', value: Number(given) };
  if (form === 'boolValue') return { key, type: 'bool', value: given };
  if (form === 'doubleValue') return { key, type: 'float64', value: given };
  return { key, type: 'string', value: given };
}
