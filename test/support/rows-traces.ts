import type { FailureEvent } from '../../src/records/failure-event.ts';

type Attribute = { key: string; value: Record<string, unknown> };

function attribute(key: string, value: string): Attribute {
  return { key, value: { stringValue: value } };
}

/** A mirrored event in OTLP's JSON form. */
export function spanEvent(event: FailureEvent, more: Readonly<Record<string, string>> = {}): object {
  const attributes = [
    attribute('nemo.gym.failure.event_id', event.event_id),
    attribute('nemo.gym.failure.boundary', event.boundary),
    attribute('nemo.gym.failure.kind', event.failure_kind),
    attribute('nemo.gym.failure.reason', event.failure_reason),
  ];
  if (event.stage !== undefined) attributes.push(attribute('nemo.gym.failure.stage', event.stage));
  if (event.cause_id !== undefined) attributes.push(attribute('nemo.gym.failure.cause_id', event.cause_id));
  if (event.http_status !== undefined) {
    attributes.push({ key: 'nemo.gym.failure.http_status', value: { intValue: String(event.http_status) } });
  }
  const kept = attributes.filter(({ key }) => !(key in more));
  for (const [key, value] of Object.entries(more)) if (value !== '') kept.push(attribute(key, value));
  return { timeUnixNano: '1790000000000000000', name: 'nemo.gym.failure', attributes: kept };
}

/** What a test says of a span. */
export interface SpanParts {
  readonly traceId: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly rolloutId?: string;
  readonly events?: readonly object[];
}

let spanNumber = 0;

/** A span in OTLP's JSON form. */
export function span({ traceId, spanId, parentSpanId = '', rolloutId, events = [] }: SpanParts): object {
  spanNumber += 1;
  const attributes: Attribute[] = [{ key: 'http.response.status_code', value: { intValue: '200' } }];
  if (rolloutId !== undefined) attributes.push(attribute('nemo.gym.rollout.id', rolloutId));
  return {
    traceId,
    spanId: spanId ?? spanNumber.toString(16).padStart(16, '0'),
    parentSpanId,
    name: 'POST /ng-rollout/{rollout_id}/run',
    kind: 2,
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000000100000000',
    attributes,
    droppedAttributesCount: 0,
    events,
    droppedEventsCount: 0,
    status: { code: 0 },
    links: [],
  };
}

/** One export request: a line of the Collector's file. */
export function exportOf(spans: readonly object[]): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: [attribute('service.name', 'agent')], droppedAttributesCount: 0 },
        scopeSpans: [{ scope: { name: 'opentelemetry-instrumentation-nemo-gym' }, spans }],
        schemaUrl: '',
      },
    ],
  };
}
