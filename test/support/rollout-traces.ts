import { readFileSync } from 'node:fs';

type Attributes = Record<string, unknown>;

/** A span event that mirrors a failure. */
export interface MirroredEvent {
  readonly traceId: string;
  readonly attributes: Attributes;
}

/** A span of an OTLP file, its attributes by name. */
export interface TracedSpan {
  readonly name: string;
  /** 2: a request that was served. */
  readonly kind: number;
  readonly service: unknown;
  readonly traceId: string;
  readonly parentSpanId: string;
  readonly attributes: Attributes;
  readonly failures: readonly MirroredEvent[];
}

interface OtlpAttribute {
  key: string;
  value: Record<string, unknown>;
}
interface OtlpSpan {
  name: string;
  kind: number;
  traceId: string;
  parentSpanId?: string;
  attributes?: OtlpAttribute[];
  events?: { name: string; attributes?: OtlpAttribute[] }[];
}
interface OtlpExport {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

/** Every span of an OTLP JSON lines file; independent of the reader of `ng-failures`. */
export function readTraces(file: string): TracedSpan[] {
  return exportsIn(file).flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const service = byName(resource.attributes)['service.name'];
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => traced(span, service)));
    }),
  );
}

/** The file without any mirror of the failure `eventId`. */
export function without(file: string, eventId: string): string {
  const kept = exportsIn(file);
  for (const span of kept.flatMap(spansOf)) {
    span.events = (span.events ?? []).filter(
      (event) => byName(event.attributes)['nemo.gym.failure.event_id'] !== eventId,
    );
  }
  return kept.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function spansOf({ resourceSpans }: OtlpExport): OtlpSpan[] {
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

function traced(span: OtlpSpan, service: unknown): TracedSpan {
  const { name, kind, traceId, parentSpanId = '' } = span;
  const failures = (span.events ?? [])
    .filter((event) => event.name === 'nemo.gym.failure')
    .map((event) => ({ traceId, attributes: byName(event.attributes) }));
  return { name, kind, service, traceId, parentSpanId, attributes: byName(span.attributes), failures };
}

function exportsIn(file: string): OtlpExport[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

function byName(attributes: readonly OtlpAttribute[] = []): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
