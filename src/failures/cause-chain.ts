import type { FailureEvent, SdkErrorDetails } from '../records/failure-event.ts';
import { FailureReport } from '../records/failure-report.ts';
import { CHAIN_MAX_LINKS } from '../records/wire.ts';
import { factsOf } from './event-record.ts';
import { safeGet, sdkErrorDetails } from './foreign-error.ts';
import type { NgFailureEvent } from './ng-failure-event.ts';

/**
 * `error` itself and then each explicit cause (`error.cause`), outermost first. It ends at a cycle, at `null` or
 * `undefined`, and after 30,000 links; it never throws, whatever the chain is made of.
 */
export function* explicitCauses(error: unknown): Generator<unknown, void, undefined> {
  yield* linksOf(error);
}

/** The links of a chain; gives back whether it was followed to its end. */
function* linksOf(error: unknown): Generator<unknown, boolean, undefined> {
  const seen = new Set<unknown>();
  let link = error;
  for (let links = 0; link !== undefined && link !== null && !seen.has(link); links += 1) {
    if (links > CHAIN_MAX_LINKS) return false;
    seen.add(link);
    yield link;
    link = safeGet(link, 'cause');
  }
  return true;
}

/** Whether `value` is an `NgFailureEvent`, of this copy of the package or of another one. */
function isFailureEventError(value: unknown): value is NgFailureEvent {
  return factsOf(value) !== undefined;
}

/** The outermost `NgFailureEvent` in `error`'s explicit cause chain, `error` itself included. */
export function findBoundaryFailure(error: unknown): NgFailureEvent | undefined {
  for (const link of linksOf(error)) {
    if (isFailureEventError(link)) return link;
  }
  return undefined;
}

/** An event of a chain while the links below it are still being read. */
interface OpenEvent {
  readonly record: FailureEvent;
  causeId?: string;
  foreign?: SdkErrorDetails;
}

/**
 * The events of `error`'s explicit cause chain, linked by `cause_id`; `failureId` names the outermost. Errors that are
 * no events give the nearest event above them its `foreign_error`. Without an event the report is empty. A chain of
 * over 30,000 links is cut there and the report says omitted.
 */
export function failureReportFor(error: unknown): FailureReport {
  const chain = new Map<string, OpenEvent>();
  const links = linksOf(error);
  let open: OpenEvent | undefined;
  let step = links.next();
  for (; step.done !== true; step = links.next()) {
    open = addLink(chain, open, step.value);
  }
  const complete = step.value;
  const events = new Map<string, FailureEvent>();
  for (const [id, event] of chain) events.set(id, closed(event));
  return FailureReport.ofEvents({ failureId: events.keys().next().value, events, omitted: !complete });
}

function addLink(chain: Map<string, OpenEvent>, open: OpenEvent | undefined, link: unknown): OpenEvent | undefined {
  const facts = factsOf(link);
  if (facts === undefined) {
    // Above all events there is nowhere to put it; of several below one event the first counts.
    if (open !== undefined && open.record.foreign_error === undefined) open.foreign ??= sdkErrorDetails(link);
    return open;
  }
  const { record } = facts;
  if (chain.has(record.event_id)) return open;
  if (open !== undefined) open.causeId = record.event_id;
  const next: OpenEvent = { record };
  chain.set(record.event_id, next);
  return next;
}

/** The event as it is written: only a cause that is in the chain counts. */
function closed({ record, causeId, foreign }: OpenEvent): FailureEvent {
  if (causeId === record.cause_id && foreign === undefined) return record;
  return Object.freeze({
    ...(record.cause_id === undefined ? record : withoutCause(record)),
    ...(causeId === undefined ? undefined : { cause_id: causeId }),
    ...(foreign === undefined ? undefined : { foreign_error: Object.freeze(foreign) }),
  });
}

function withoutCause({ cause_id: _unresolved, ...own }: FailureEvent): FailureEvent {
  return own;
}
