import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { shown } from '../../records/text.ts';
import { tellFault, tellOfOption } from '../guard.ts';
import type { Redact } from './redact.ts';

/** A request being served, for a policy that decides about its caller. */
export type CallerRequest = IncomingMessage | Http2ServerRequest;

/** Which callers get a failure report. */
export type SendReportTo = (request: CallerRequest) => boolean;

/** What leaves with a reply. Nothing set: every caller gets the whole report. */
export interface ReplyPolicy {
  readonly sendReportTo?: SendReportTo | undefined;
  readonly redact?: Redact | undefined;
}

/** What follows where a policy gives no answer: what it was to close stays closed, what it was to let be is done. */
const WITHOUT_ANSWER = {
  'server.sendReportTo': 'no report is sent to this caller',
  'server.ignoreRequest': 'the request is served like any other',
  'client.acceptReportFrom': 'the report is not believed',
  'client.ignoreRequest': 'the reply is looked at like any other',
  'mirror.attributesFor': 'the event is shown without further attributes',
  redact: 'every reason is sent as `redacted`',
};

/** The option that a policy is given in. */
export type PolicyName = keyof typeof WITHOUT_ANSWER;

/** One diagnostic line for a policy that failed. */
export function tellPolicyFault(name: PolicyName, error: unknown): void {
  tellFault(name, error, WITHOUT_ANSWER[name]);
}

/** A policy's answer. Only `true` is yes: one that throws, or gives back a promise, says no and is told of. */
export function saysYes(name: PolicyName, ask: () => unknown): boolean {
  try {
    const answer = ask();
    if (typeof answer !== 'boolean') tellPolicyFault(name, `it gave back ${shown(answer)} instead of true or false`);
    return answer === true;
  } catch (error) {
    tellPolicyFault(name, error);
    return false;
  }
}

/**
 * A policy that a user gave. In place of something that is no function stands one that always throws, so that a slip in
 * an option never opens what it was to close.
 *
 * @param given - the option's name where it was given, when that is another one
 */
export function readPolicy<F extends (...args: never[]) => unknown>(
  name: PolicyName,
  value: F | undefined,
  given: string = name,
): F | undefined {
  if (value === undefined || typeof value === 'function') return value;
  const complaint = `${given} is ${shown(value)}; give a function`;
  tellOfOption(`${complaint}. Until then ${WITHOUT_ANSWER[name]}`);
  const refuse = (): never => {
    throw new TypeError(complaint);
  };
  return refuse as unknown as F;
}
