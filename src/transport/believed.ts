import { sharedState } from '../records/shared-state.ts';
import { saysYes } from './reply/policy.ts';

/** Whose replies are believed. */
export type AcceptReportFrom = (url: URL) => boolean;

/** The policies in force, each under what set it; all copies of the package ask them all. */
const policies = sharedState('accept-policies', () => new Map<object, AcceptReportFrom>());

/** Puts `accept` in force for the whole process, in place of what `owner` had set before; `undefined` ends that. */
export function setAcceptPolicy(owner: object, accept: AcceptReportFrom | undefined): void {
  if (accept === undefined) policies.delete(owner);
  else policies.set(owner, accept);
}

/**
 * Whether the report of a reply from `address` counts. Without a policy every report does; with one, a reply whose
 * address is not known has none that does.
 */
export function isBelieved(address: () => URL | string | undefined): boolean {
  if (policies.size === 0) return true;
  const url = urlOf(address());
  if (url === undefined) return false;
  for (const accept of policies.values()) {
    // A URL of its own for each: a policy that changes it changes nothing.
    if (!saysYes('client.acceptReportFrom', () => accept(new URL(url)))) return false;
  }
  return true;
}

function urlOf(address: URL | string | undefined): URL | undefined {
  if (typeof address !== 'string') return address;
  return URL.canParse(address) ? new URL(address) : undefined;
}
