import {
  EVENT_BOUNDARY,
  EVENT_CAUSE_ID,
  EVENT_ID,
  EVENT_KIND,
  EVENT_STAGE,
  FAILURE_EVENT_NAME,
  ROLLOUT_ID,
} from '../../instrumentation/attributes.ts';
import type { Sighting, SpanFacts } from '../traces/traces.ts';
import type { JaegerTrace } from './jaeger-api.ts';

const NONE: readonly Sighting[] = [];
/** Field of a span's log that holds the name of the event. */
const EVENT_NAME_FIELD = 'event';

/** Whether `text` is an id of a trace or span. */
export function isHex(text: string): boolean {
  return /^[\da-f]{1,32}$/i.test(text);
}

/** The id of a trace, 32 hex digits: Jaeger leaves out zeros at the start. Empty where there is none. */
export function traceIdOf({ traceID }: JaegerTrace): string {
  return hexId(traceID, 32);
}

/** What is needed of a trace's spans; whatever has another form is passed over. */
export function spansOf(trace: JaegerTrace): readonly SpanFacts[] {
  const spans: SpanFacts[] = [];
  for (const span of members(trace.spans)) {
    const traceId = hexId(span.traceID ?? trace.traceID, 32);
    if (traceId === '') continue;
    spans.push({
      traceId,
      spanId: hexId(span.spanID, 16),
      parentSpanId: parentOf(span, traceId),
      rolloutId: textOf(span.tags, ROLLOUT_ID),
      sightings: sightingsOf(span),
    });
  }
  return spans;
}

function parentOf(span: Readonly<Record<string, unknown>>, traceId: string): string {
  for (const { refType, traceID, spanID } of members(span.references)) {
    if (refType === 'CHILD_OF' && hexId(traceID, 32) === traceId) return hexId(spanID, 16);
  }
  return hexId(span.parentSpanID, 16);
}

function sightingsOf(span: Readonly<Record<string, unknown>>): readonly Sighting[] {
  let sightings: Sighting[] | undefined;
  for (const { fields } of members(span.logs)) {
    const sighting = isFailure(fields) ? sightingOf(fields) : undefined;
    if (sighting === undefined) continue;
    sightings ??= [];
    sightings.push(sighting);
  }
  return sightings ?? NONE;
}

/** An attribute of the event may have the name of the field too. */
function isFailure(fields: unknown): boolean {
  return members(fields).some(({ key, value }) => key === EVENT_NAME_FIELD && value === FAILURE_EVENT_NAME);
}

function sightingOf(fields: unknown): Sighting | undefined {
  const eventId = textOf(fields, EVENT_ID);
  if (eventId === undefined) return undefined;
  return {
    eventId,
    kind: textOf(fields, EVENT_KIND),
    boundary: textOf(fields, EVENT_BOUNDARY),
    stage: textOf(fields, EVENT_STAGE),
    causeId: textOf(fields, EVENT_CAUSE_ID),
  };
}

/** The value of a tag or field as text. */
function textOf(list: unknown, name: string): string | undefined {
  for (const { key, value } of members(list)) {
    if (key !== name) continue;
    if (typeof value === 'string') return value === '' ? undefined : value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  }
  return undefined;
}

/** Empty for what is no id: it would become a part of addresses. */
function hexId(value: unknown, digits: number): string {
  if (typeof value !== 'string' || value.length > digits || !isHex(value)) return '';
  return value.toLowerCase().padStart(digits, '0');
}

/** The objects of a list; whatever is no list has none. */
function members(value: unknown): readonly Record<string, unknown>[] {
  if (!Array.isArray(value)) return [];
  return value.every(isObject) ? value : value.filter(isObject);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
