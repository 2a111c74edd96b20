import { randomBytes } from 'node:crypto';

/** A span that a program could have sent. */
export interface SentSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly rolloutId: string;
  /** Empty when it has no failure. */
  readonly eventId: string;
}

/** The root of a rollout in which nothing fails. */
export function healthySpan(service: string): SentSpan {
  const traceId = hex(16);
  return { service, traceId, spanId: hex(8), parentSpanId: undefined, rolloutId: `late-${traceId}`, eventId: '' };
}

/** A span with a failure event: below `root`, or of a trace of its own. */
export function failingSpan(service: string, root: SentSpan = healthySpan(service)): SentSpan {
  return { ...root, spanId: hex(8), parentSpanId: root.spanId, eventId: hex(16) };
}

/** Sends spans as OTLP JSON. */
export async function sendSpans(endpoint: string, spans: readonly SentSpan[]): Promise<void> {
  await sendExport(endpoint, spans.map(resourceSpan));
}

/** Sends spans of one service, given in OTLP's JSON form. */
export async function sendOtlp(endpoint: string, service: string, spans: readonly object[]): Promise<void> {
  const resource = { attributes: [attribute('service.name', service)] };
  await sendExport(endpoint, [
    { resource, scopeSpans: [{ scope: { name: 'opentelemetry-instrumentation-nemo-gym' }, spans }] },
  ]);
}

async function sendExport(endpoint: string, resourceSpans: readonly object[]): Promise<void> {
  const response = await fetch(`${endpoint}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans }),
  });
  if (!response.ok) throw new Error(`${endpoint} answered ${response.status}: ${await response.text()}`);
}

function resourceSpan({ service, traceId, spanId, parentSpanId, rolloutId, eventId }: SentSpan): object {
  const now = BigInt(Date.now()) * 1_000_000n;
  const failure = {
    timeUnixNano: String(now),
    name: 'nemo.gym.failure',
    attributes: [
      attribute('nemo.gym.failure.event_id', eventId),
      attribute('nemo.gym.failure.kind', 'agent_run_error'),
      attribute('nemo.gym.failure.boundary', 'agent'),
    ],
  };
  const span = {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name: 'late',
    kind: 2,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 1_000_000n),
    attributes: [attribute('nemo.gym.rollout.id', rolloutId)],
    events: eventId === '' ? [] : [failure],
  };
  return { resource: { attributes: [attribute('service.name', service)] }, scopeSpans: [{ spans: [span] }] };
}

function attribute(key: string, stringValue: string): object {
  return { key, value: { stringValue } };
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
