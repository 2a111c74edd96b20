import type { Batch } from './batch.ts';

/** One `nemo.gym.failure` event on one span, as Jaeger's API gives it: without the package's own reader. */
export interface FoundEvent {
  readonly eventId: string;
  readonly traceId: string;
  readonly service: string;
  readonly spanName: string;
  readonly causeId: string | undefined;
  readonly boundary: string | undefined;
  readonly kind: string | undefined;
  readonly origin: string | undefined;
}

interface ApiTrace {
  readonly traceID: string;
  readonly spans: readonly ApiSpan[];
  readonly processes: Readonly<Record<string, { readonly serviceName: string }>>;
}

export interface ApiSpan {
  readonly spanID: string;
  readonly operationName: string;
  readonly processID: string;
  readonly startTime: number;
  readonly references: readonly { readonly refType: string; readonly spanID: string }[];
  readonly tags: readonly ApiTag[];
  readonly logs: readonly { readonly timestamp: number; readonly fields: readonly ApiTag[] }[];
}

interface ApiTag {
  readonly key: string;
  readonly value: unknown;
}

/** The services that Jaeger knows. */
export async function servicesIn(url: string): Promise<string[]> {
  const body = await ask<string[] | null>(`${url}/api/services`);
  return (body ?? []).sort();
}

/** Traces of a service that have the tag on a span or on a span's event. */
export async function tracesWith(url: string, service: string, tag: Record<string, string>): Promise<ApiTrace[]> {
  const query = new URLSearchParams({ service, tags: JSON.stringify(tag), limit: '1000', lookback: '2d' });
  return (await ask<ApiTrace[] | null>(`${url}/api/traces?${query}`)) ?? [];
}

async function ask<Data>(address: string): Promise<Data> {
  const response = await fetch(address, { signal: AbortSignal.timeout(30_000) });
  if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`);
  const body: { data: Data } = JSON.parse(await response.text());
  return body.data;
}

export function tagOf(tags: readonly ApiTag[], key: string): string | undefined {
  const value = tags.find((tag) => tag.key === key)?.value;
  return value === undefined ? undefined : String(value);
}

/** The failure events of a trace, in the order in which each span has them. */
export function eventsIn(trace: ApiTrace): FoundEvent[] {
  return trace.spans.flatMap((span) =>
    span.logs
      .filter(({ fields }) => tagOf(fields, 'event') === 'nemo.gym.failure')
      .map(({ fields }) => ({
        eventId: tagOf(fields, 'nemo.gym.failure.event_id') ?? '',
        traceId: trace.traceID,
        service: trace.processes[span.processID]?.serviceName ?? '',
        spanName: span.operationName,
        causeId: tagOf(fields, 'nemo.gym.failure.cause_id'),
        boundary: tagOf(fields, 'nemo.gym.failure.boundary'),
        kind: tagOf(fields, 'nemo.gym.failure.kind'),
        origin: tagOf(fields, 'nemo.gym.failure.origin'),
      })),
  );
}

/** Searches every service for each id of the rows; an id that is nowhere has an empty list. */
export async function searchEach(url: string, batch: Batch): Promise<Map<string, FoundEvent[]>> {
  const services = await servicesIn(url);
  const found = new Map<string, FoundEvent[]>();
  const ids = [...batch.events.keys()];
  const searcher = async (): Promise<void> => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const eventId = id;
      const traces = await Promise.all(
        services.map((service) => tracesWith(url, service, { 'nemo.gym.failure.event_id': eventId })),
      );
      const distinct = new Map(traces.flat().map((trace) => [trace.traceID, trace]));
      const events = [...distinct.values()].flatMap(eventsIn).filter((event) => event.eventId === eventId);
      found.set(eventId, events);
    }
  };
  await Promise.all(Array.from({ length: 8 }, searcher));
  return found;
}
