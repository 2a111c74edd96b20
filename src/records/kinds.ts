import { sharedState } from './shared-state.ts';
import { nearest, shown } from './text.ts';
import { UNREGISTERED_KIND_PREFIX } from './wire.ts';

/** The kinds that every Gym knows. A kind says what went wrong and nothing else, so it may label a metric. */
export const FAILURE_KINDS = Object.freeze([
  'transport_unreachable',
  'transport_peer_drop',
  'transport_timeout',
  'transport_local_resource',
  'agent_run_error',
  'agent_request_failed',
  'agent_timeout',
  'agent_command_not_allowed',
  'judge_failed',
  'judge_unparseable',
  'verifier_error',
  'provider_unavailable',
  'provider_quota_exhausted',
  'provider_oom_killed',
  'session_lost',
  'session_expired',
  'session_release_failed',
  'cancelled',
  'kill_shaped',
  'shutdown',
  'persistence_failed',
  'cohort_incomplete',
] as const);

/** A kind of {@link FAILURE_KINDS}. */
export type GymFailureKind = (typeof FAILURE_KINDS)[number];
/** A kind of Gym, one of `<server>:<kind>`, or one that this process registered. */
export type FailureKind = GymFailureKind | (string & {});

const PLAIN = /^[a-z][a-z0-9_]*$/;
const NAMESPACED = /^[a-z][a-z0-9_]*:[a-z][a-z0-9_]*$/;
/** Names come from other machines, so what was warned of is remembered up to a bound. */
const MAX_WARNED = 1000;

const registered = sharedState('kinds', () => new Set<string>(FAILURE_KINDS));
const warned = sharedState('warned-kinds', () => new Set<string>());

/** Whether `kind` is one of {@link FAILURE_KINDS} or was registered in this process. */
export function isRegistered(kind: string): boolean {
  return registered.has(kind);
}

/** Whether the whole of `kind` has the form `<server>:<kind>`, each part `[a-z][a-z0-9_]*`. */
export function isNamespaced(kind: string): boolean {
  return typeof kind === 'string' && NAMESPACED.test(kind);
}

/** Whether an event of this kind may be made here. */
export function isKnownKind(kind: unknown): kind is string {
  return typeof kind === 'string' && (registered.has(kind) || NAMESPACED.test(kind));
}

/**
 * Registers further kinds for this process, for a vocabulary that several servers share.
 *
 * @throws TypeError when a name is not of the form `[a-z][a-z0-9_]*`; then none of the call's names is registered
 */
export function registerFailureKinds(...kinds: readonly (string | readonly string[])[]): void {
  const names = kinds.flat();
  for (const name of names) {
    if (typeof name !== 'string' || !PLAIN.test(name)) {
      throw new TypeError(`Cannot register failure kind ${shown(name)}: a kind has the form [a-z][a-z0-9_]*`);
    }
  }
  for (const name of names) registered.add(name);
}

/**
 * Gives back `kind`. One that is neither registered nor namespaced causes a process warning, once per name.
 */
export function validateFailureKind<K>(kind: K): K {
  if (isKnownKind(kind)) return kind;
  const name = shown(kind);
  if (!warned.has(name) && warned.size < MAX_WARNED) {
    warned.add(name);
    process.emitWarning(unknownKind(kind), {
      type: 'NgFailureWarning',
      code: 'NG_UNKNOWN_FAILURE_KIND',
    });
  }
  return kind;
}

const REMEDY = 'register it with registerFailureKinds(), or name it "<server>:<kind>", e.g. "browser_env:page_crashed"';

function unknownKind(kind: unknown): string {
  const meant = typeof kind === 'string' ? nearest(kind, registered) : undefined;
  return `Unknown failure kind ${shown(kind)}: ${meant === undefined ? '' : `did you mean ${meant}? Else `}${REMEDY}`;
}

/** The error for an event of a kind that may not be made here. */
export function unknownKindError(kind: unknown): TypeError {
  return new TypeError(unknownKind(kind));
}

/**
 * A kind as it is read from another server: a plain name that is not registered here moves into the `unregistered:`
 * namespace; a text that no rule allows gives `undefined`.
 */
export function readFailureKind(kind: string): string | undefined {
  if (registered.has(kind) || NAMESPACED.test(kind)) return kind;
  return PLAIN.test(kind) ? UNREGISTERED_KIND_PREFIX + kind : undefined;
}
