import type { Span } from '@opentelemetry/api';
import { sharedState } from '../records/shared-state.ts';
import { FAILURE_EVENT_NAME } from './attributes.ts';
import type { ObservedEvents } from './observed-events.ts';

/** A span keeps 128 events and drops the oldest, also other people's: half of them is our share. */
const MAX_EVENTS_PER_SPAN = 64;

/** The ids that each span shows already, for all copies of the package. */
const shown = sharedState('mirrored-events', () => new WeakMap<Span, Set<string>>());

/** Adds a span event for each failure event that `span` does not show yet, causes before what they caused. */
export function addFailureEvents(span: Span, events: ObservedEvents): void {
  const ids = idsOn(span);
  const room = MAX_EVENTS_PER_SPAN - ids.size;
  const fresh = events.causesFirst.filter((event) => !ids.has(event.event_id));
  if (fresh.length === 0 || room <= 0) return;
  // What does not fit is the oldest cause, not the failure itself.
  for (const event of fresh.slice(-room)) {
    ids.add(event.event_id);
    span.addEvent(FAILURE_EVENT_NAME, events.shown(event).attributes);
  }
}

function idsOn(span: Span): Set<string> {
  let ids = shown.get(span);
  if (ids === undefined) {
    ids = new Set();
    shown.set(span, ids);
  }
  return ids;
}
