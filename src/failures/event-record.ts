import { type FailureEvent, readEvent } from '../records/failure-event.ts';
import { copyJson, isPlainObject } from '../records/json.ts';
import { sharedSymbol } from '../records/shared-state.ts';
import { EVENT_LEVEL } from '../records/wire.ts';

/**
 * Where an `NgFailureEvent` came from: constructed in this process, made again from a record, or rebuilt from another
 * server's reply.
 */
export type Provenance = 'here' | 'restored' | 'reply';

/** What an `NgFailureEvent` carries under {@link RECORD}: its record without what its causes add. */
export interface EventFacts {
  readonly record: FailureEvent;
  readonly provenance: Provenance;
}

/** The same symbol in every copy of the package, so that copies know each other's events. */
export const RECORD = sharedSymbol('event');

/** Facts that this copy made itself and need no second look. */
const trusted = new WeakSet<EventFacts>();

/** Makes the facts that an event carries; `record` must be valid and frozen. */
export function makeFacts(record: FailureEvent, provenance: Provenance): EventFacts {
  const facts = Object.freeze({ record, provenance });
  trusted.add(facts);
  return facts;
}

/** The facts of an `NgFailureEvent` of any copy of the package; `undefined` for anything else. Never throws. */
export function factsOf(value: unknown): EventFacts | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    const facts: unknown = Reflect.get(value, RECORD);
    if (facts === undefined || facts === null) return undefined;
    return isTrusted(facts) ? facts : foreignCopyFacts(facts);
  } catch {
    // A proxy or a getter that throws: whatever it is, it is no event.
    return undefined;
  }
}

function isTrusted(facts: unknown): facts is EventFacts {
  return typeof facts === 'object' && facts !== null && trusted.has(facts as EventFacts);
}

/** Another copy's facts are data from outside: read like a record from the wire. */
function foreignCopyFacts(facts: unknown): EventFacts | undefined {
  if (!isPlainObject(facts) || !isPlainObject(facts.record)) return undefined;
  const provenance = facts.provenance === 'here' || facts.provenance === 'reply' ? facts.provenance : 'restored';
  const id = facts.record.event_id;
  if (typeof id !== 'string') return undefined;
  return { record: readEvent(copyJson(facts.record, 'event', EVENT_LEVEL), id), provenance };
}
