import type { Attributes, Context } from '@opentelemetry/api';
import { FAILURE_EVENT_NAME } from './attributes.ts';
import type { ObservedEvents } from './observed-events.ts';
import { SeenIds } from './seen.ts';

/**
 * A record of the Logs API, of which a tree may hold several copies, and which moved from one package into another:
 * only the base class's logger knows it.
 */
export interface FailureLogRecord {
  readonly eventName: string;
  /** 13 is WARN, 17 is ERROR. */
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: string;
  readonly attributes: Attributes;
  readonly context: Context;
}

/** Where a failure event is told as a log record. */
export interface LogPlace {
  /** What a record is written once in: its span, or its request where nothing is traced. */
  readonly scope: object;
  readonly context: Context;
}

const WARN = { severityNumber: 13, severityText: 'WARN' } as const;
const ERROR = { severityNumber: 17, severityText: 'ERROR' } as const;

/** More ids than one span's failures ever have. */
const MAX_IDS = 1000;
const logged = new SeenIds('logged-events', MAX_IDS);

/**
 * Writes a log record for each failure event that was not written there yet, causes before what they caused. A record
 * needs no span that records. ERROR is the reply's own failure; what it came from, an attempt that a retry may have
 * replaced and another server's failure are WARN.
 */
export function emitFailureRecords(
  emit: (record: FailureLogRecord) => void,
  events: ObservedEvents,
  { scope, context }: LogPlace,
): void {
  for (const event of events.causesFirst) {
    if (!logged.isNew(scope, event.event_id)) continue;
    const { attributes, reason, selected } = events.shown(event);
    emit({ eventName: FAILURE_EVENT_NAME, ...(selected ? ERROR : WARN), body: reason, attributes, context });
  }
}
