import {
  EVENT_BOUNDARY,
  EVENT_CAUSE_ID,
  EVENT_ID,
  EVENT_KIND,
  EVENT_STAGE,
  FAILURE_EVENT_NAME,
  ROLLOUT_ID,
} from '../../instrumentation/attributes.ts';
import type { Problems } from '../problems.ts';
import { jsonLines } from '../rows/json-lines.ts';
import type { Sighting, SpanFacts, TraceSource } from './traces.ts';

const NONE: readonly Sighting[] = [];

/**
 * Traces in a file of OTLP JSON lines, as the Collector's file exporter writes them: one export request a line. Events
 * that went out as log records are read too, when their export requests stand in the file.
 */
export class OtlpFile implements TraceSource {
  readonly name: string;

  constructor(file: string) {
    this.name = file;
  }

  async *spans(problems: Problems): AsyncGenerator<readonly SpanFacts[]> {
    let found = false;
    for await (const lines of jsonLines(this.name, problems)) {
      const spans: SpanFacts[] = [];
      for (const { value } of lines) readExport(value, spans);
      found ||= spans.length > 0;
      if (spans.length > 0) yield spans;
    }
    if (!found) problems.note(this.name, 'holds no spans; expected OTLP JSON lines, each {"resourceSpans":[…]}');
  }
}

/** Adds the spans of one export request; whatever has another form is passed over. */
function readExport(request: Record<string, unknown>, spans: SpanFacts[]): void {
  for (const resource of members(request.resourceSpans)) {
    for (const scope of members(resource.scopeSpans)) {
      for (const span of members(scope.spans)) addSpan(span, spans);
    }
  }
  for (const resource of members(request.resourceLogs)) {
    for (const scope of members(resource.scopeLogs)) {
      for (const record of members(scope.logRecords)) addLogRecord(record, spans);
    }
  }
}

function addSpan(span: Record<string, unknown>, spans: SpanFacts[]): void {
  const traceId = hexId(span.traceId);
  if (traceId === '') return;
  let sightings: Sighting[] | undefined;
  for (const event of members(span.events)) {
    const sighting = event.name === FAILURE_EVENT_NAME ? sightingOf(event.attributes) : undefined;
    if (sighting === undefined) continue;
    sightings ??= [];
    sightings.push(sighting);
  }
  spans.push({
    traceId,
    spanId: hexId(span.spanId),
    parentSpanId: hexId(span.parentSpanId),
    rolloutId: attribute(span.attributes, ROLLOUT_ID),
    sightings: sightings ?? NONE,
  });
}

function addLogRecord(record: Record<string, unknown>, spans: SpanFacts[]): void {
  if (record.eventName !== FAILURE_EVENT_NAME) return;
  const sighting = sightingOf(record.attributes);
  const traceId = hexId(record.traceId);
  if (sighting === undefined || traceId === '') return;
  // It stands for no span of its own; its span is its parent, which knows the rollout.
  const parentSpanId = hexId(record.spanId);
  spans.push({ traceId, spanId: '', parentSpanId, rolloutId: undefined, sightings: [sighting] });
}

function sightingOf(attributes: unknown): Sighting | undefined {
  let eventId: string | undefined;
  let kind: string | undefined;
  let boundary: string | undefined;
  let stage: string | undefined;
  let causeId: string | undefined;
  for (const { key, value } of members(attributes)) {
    if (key === EVENT_ID) eventId = scalar(value);
    else if (key === EVENT_KIND) kind = scalar(value);
    else if (key === EVENT_BOUNDARY) boundary = scalar(value);
    else if (key === EVENT_STAGE) stage = scalar(value);
    else if (key === EVENT_CAUSE_ID) causeId = scalar(value);
  }
  return eventId === undefined ? undefined : { eventId, kind, boundary, stage, causeId };
}

function attribute(attributes: unknown, name: string): string | undefined {
  for (const { key, value } of members(attributes)) {
    if (key === name) return scalar(value);
  }
  return undefined;
}

/** An attribute's value as text; OTLP writes 64-bit integers as text, some writers as numbers. */
function scalar(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const given = value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue;
  if (typeof given === 'string') return given === '' ? undefined : given;
  return typeof given === 'number' || typeof given === 'boolean' ? String(given) : undefined;
}

/** A trace or span id; upper case is the same id. */
function hexId(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

/** The objects of a list; whatever is no list has none. */
function members(value: unknown): readonly Record<string, unknown>[] {
  if (!Array.isArray(value)) return [];
  return value.every(isObject) ? value : value.filter(isObject);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
