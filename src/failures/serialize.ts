import type { FailureEvent, SdkErrorDetails } from '../records/failure-event.ts';
import { isHttpStatus } from '../records/failure-event.ts';
import { isPlainObject, type JsonValue } from '../records/json.ts';
import { explained, shown } from '../records/text.ts';
import { CHAIN_MAX_LINKS } from '../records/wire.ts';
import { isAgentRouteFailure, markAgentRoute } from './agent-route.ts';
import { explicitCauses, failureReportFor } from './cause-chain.ts';
import { observedFacts } from './details.ts';
import { episodeDecisionOf, withDecision } from './episode.ts';
import { factsOf, type Provenance } from './event-record.ts';
import { keepChosenFacts, sdkErrorDetails } from './foreign-error.ts';
import { type NgFailureEvent, restore } from './ng-failure-event.ts';

/** The form's version; a reader refuses another one. */
const VERSION = 1;
/** The links that a chain's walk gives at most, and the one that stands for what was cut. */
const MAX_LINKS = CHAIN_MAX_LINKS + 2;

/** An event of a chain, with what this package keeps beside its record. */
export interface SerializedEvent {
  /** The event’s whole record. */
  readonly event: FailureEvent;
  /** Set when it was rebuilt from another server's reply. */
  readonly reply?: true;
  /** Set when it is an agent route's failure. */
  readonly agent_route?: true;
  /** Set when it is a handled episode failure. */
  readonly episode?: {
    /** Whether the rollout ends with it. */
    readonly terminal: boolean;
    /** What the episode came to before. */
    readonly partial?: JsonValue;
  };
}

/** An error of a chain that is no event: chosen facts only. */
export interface SerializedForeignError {
  /** Its type, bounded message and HTTP status. */
  readonly foreign_error: SdkErrorDetails;
}

/** A chain as plain data, outermost link first. */
export interface SerializedFailure {
  /** The form’s version. */
  readonly ng_failure: typeof VERSION;
  /** The error itself first, then each explicit cause. */
  readonly links: readonly (SerializedEvent | SerializedForeignError)[];
}

/**
 * `error` and its explicit causes as plain JSON data, for `postMessage`, `process.send`, a queue or a file, which all
 * lose an error's class, fields or causes. Events keep their whole records, other errors their type, bounded message
 * and HTTP status; stacks, bodies and all else stay behind. A cycle ends the chain. Never throws.
 */
export function serializeFailure(error: unknown): SerializedFailure {
  const links = [...explicitCauses(error)].map(serializedLink);
  if (links.length === 0) links.push({ foreign_error: sdkErrorDetails(error) });
  // Where the walk was cut, one more link keeps it over the limit, so that its report says omitted over there too.
  if (links.length > CHAIN_MAX_LINKS && failureReportFor(error).omitted) {
    links.push({ foreign_error: { exception_type: 'Error', message: 'The causes below were cut' } });
  }
  return { ng_failure: VERSION, links };
}

function serializedLink(link: unknown): SerializedEvent | SerializedForeignError {
  const facts = factsOf(link);
  if (facts === undefined) return { foreign_error: sdkErrorDetails(link) };
  const decision = episodeDecisionOf(link);
  return {
    event: facts.record,
    ...(facts.provenance === 'reply' ? { reply: true } : undefined),
    ...(isAgentRouteFailure(link) ? { agent_route: true } : undefined),
    ...(decision === undefined ? undefined : { episode: serializedDecision(decision.terminal, decision.partial) }),
  };
}

function serializedDecision(terminal: boolean, partial: unknown): NonNullable<SerializedEvent['episode']> {
  const data = partial === undefined ? undefined : jsonData(partial);
  return data === undefined ? { terminal } : { terminal, partial: data };
}

/** Whole where JSON can say it; else the facts that it can. */
function jsonData(value: unknown): JsonValue | undefined {
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return observedFacts({ value }).value;
  }
}

/**
 * The chain that {@link serializeFailure} made data of: the same events with the same ids, linked by `cause`, so that
 * its report is the same. Other errors come back as plain `Error`s with their `name`, `message` and `status`; a name is
 * never looked up.
 *
 * @throws TypeError that names the link and the value, when `data` is not such a chain
 */
export function deserializeFailure(data: unknown): Error {
  if (!isPlainObject(data) || data.ng_failure !== VERSION || !Array.isArray(data.links)) {
    throw new TypeError(`Invalid serialized failure: ${shown(data)} is not what serializeFailure() gives`);
  }
  const links: readonly unknown[] = data.links;
  if (links.length === 0 || links.length > MAX_LINKS) {
    throw new TypeError(`Invalid serialized failure: ${links.length} links, expected 1 to ${MAX_LINKS}`);
  }
  let error: Error | undefined;
  // From the innermost cause outwards, so that a long chain needs no recursion.
  for (let index = links.length - 1; index >= 0; index -= 1) {
    try {
      error = restoredLink(links[index], error);
    } catch (fault) {
      throw new TypeError(`Invalid serialized failure: links[${index}]: ${explained(fault)}`, { cause: fault });
    }
  }
  return error ?? new Error();
}

function restoredLink(link: unknown, cause: Error | undefined): Error {
  if (!isPlainObject(link)) throw new TypeError(`expected an object, got ${shown(link)}`);
  if (link.event !== undefined) return restoredEvent(link, cause);
  const facts = foreignFactsOf(link);
  if (facts === undefined) throw new TypeError('neither an event nor a foreign_error with a type and a message');
  return foreignError(facts, cause);
}

function restoredEvent(link: Record<string, unknown>, cause: Error | undefined): NgFailureEvent {
  const provenance: Provenance = link.reply === true ? 'reply' : 'restored';
  const event = restore(link.event, cause, provenance);
  if (link.agent_route === true) markAgentRoute(event);
  if (link.episode === undefined) return event;
  const { terminal, partial } = isPlainObject(link.episode) ? link.episode : {};
  if (typeof terminal !== 'boolean') {
    throw new TypeError(`episode.terminal: expected true or false, got ${shown(terminal)}`);
  }
  return withDecision(event, partial === undefined ? { terminal } : { terminal, partial });
}

/** The chosen facts of a link that is no event. */
function foreignFactsOf(link: unknown): SdkErrorDetails | undefined {
  if (!isPlainObject(link) || link.event !== undefined || !isPlainObject(link.foreign_error)) return undefined;
  const { exception_type: type, message, http_status: status } = link.foreign_error;
  if (typeof type !== 'string' || type === '' || typeof message !== 'string') return undefined;
  if (status === undefined || status === null) return { exception_type: type, message };
  return isHttpStatus(status) ? { exception_type: type, message, http_status: status } : undefined;
}

/** A plain `Error`, so that its `name` is all that tells its type. */
function foreignError(facts: SdkErrorDetails, cause: Error | undefined): Error {
  const error = new Error(facts.message, cause === undefined ? undefined : { cause });
  Object.defineProperty(error, 'name', { value: facts.exception_type, configurable: true, writable: true });
  if (facts.http_status !== undefined) Object.assign(error, { status: facts.http_status });
  // They were bounded and masked already, and may hold a cut that choosing again would not repeat.
  return keepChosenFacts(error, facts);
}
