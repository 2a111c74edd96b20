import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { diag } from '@opentelemetry/api';
import { shown } from '../../records/text.ts';
import { tellFault } from '../guard.ts';
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

/** A policy's answer. Only `true` is yes: one that throws, or gives back a promise, says no and is told of. */
export function saysYes(name: string, ask: () => unknown): boolean {
  try {
    const answer = ask();
    if (typeof answer !== 'boolean') tellFault(name, `it gave back ${shown(answer)} instead of true or false`);
    return answer === true;
  } catch (error) {
    tellFault(name, error);
    return false;
  }
}

/**
 * A policy that a user gave. In place of something that is no function stands one that always throws, so that a slip in
 * an option never opens what it was to close.
 */
export function readPolicy<F extends (...args: never[]) => unknown>(name: string, value: F | undefined): F | undefined {
  if (value === undefined || typeof value === 'function') return value;
  const complaint = `${name} is ${shown(value)}; give a function`;
  diag.warn(`opentelemetry-instrumentation-nemo-gym: ${complaint}. Until then it says no`);
  const refuse = (): never => {
    throw new TypeError(complaint);
  };
  return refuse as unknown as F;
}
