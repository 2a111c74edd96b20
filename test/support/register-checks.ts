import { expect } from 'vitest';
import type { ReceivedSpan } from './otlp-receiver.ts';
import type { RegisterRun } from './register-run.ts';

const FAILURE = 'nemo.gym.failure';
const SERVER = 2;
const CLIENT = 3;

/** The replies carry what happened, in one header each; with a context manager the log is in the context throughout. */
export function checkReplies({ late, afterwards, call }: RegisterRun, place: 'context' | 'storage'): void {
  expect(late).toEqual({
    status: 200,
    reports: [['in-data']],
    body: { handler: place, data: place, end: place },
  });
  expect(afterwards).toEqual({ status: 200, reports: [], body: 'none' });
  expect(call).toMatchObject({ status: 502, reports: [['above', 'own', 'cause']] });
}

/** Nothing was traced: the calls carried no trace either. */
export function checkUntraced({ call, spans }: RegisterRun): void {
  expect(call.body).toEqual([null, null]);
  expect(spans).toEqual([]);
}

/** One trace goes through both processes, by fetch and by `node:http`, and each failure is on it as often as it was met. */
export function checkTraced({ call, spans, metrics }: RegisterRun): void {
  const [fetched, got] = Array.isArray(call.body) ? call.body.map(parentOf) : [];
  const served = (service: string): ReceivedSpan[] =>
    spans.filter((span) => span.kind === SERVER && span.service === service);
  const parents = served('called').map(({ traceId, parentSpanId }) => [traceId, parentSpanId]);
  expect(parents).toEqual(expect.arrayContaining([fetched, got]));
  expect(parents).toHaveLength(2);
  const calls = spans.filter(({ kind, service }) => kind === CLIENT && service === 'caller');
  expect(calls.map(({ traceId, spanId }) => [traceId, spanId])).toEqual(expect.arrayContaining(parents));
  expect(served('caller').map(({ traceId }) => traceId)).toContain(fetched?.[0]);
  expect(idsOn(spans, 'called')).toEqual({ cause: 2, own: 2 });
  expect(idsOn(spans, 'caller')).toEqual({ above: 1, cause: 2, 'in-data': 1, own: 2 });
  for (const { events } of spans) expect(idsOf(events).length).toBe(new Set(idsOf(events)).size);
  expect(metrics).toContain('nemo.gym.failures');
}

function parentOf(traceparent: unknown): string[] {
  return String(traceparent).split('-').slice(1, 3);
}

function idsOf(events: ReceivedSpan['events']): unknown[] {
  return events.filter(({ name }) => name === FAILURE).map(({ attributes }) => attributes[`${FAILURE}.event_id`]);
}

/** How many spans of a process show each failure. */
function idsOn(spans: readonly ReceivedSpan[], service: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const id of spans.filter((span) => span.service === service).flatMap(({ events }) => idsOf(events))) {
    counts[String(id)] = (counts[String(id)] ?? 0) + 1;
  }
  return counts;
}
