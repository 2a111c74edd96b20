import { FailureReport } from '../../records/failure-report.ts';
import { OMITTED_HEADER_VALUE } from '../../records/wire.ts';
import { announceFailures, type ReplyReported } from '../announce.ts';
import { decodeValues, headerValue } from '../header.ts';
import { announceOwnFailure } from '../observe.ts';
import type { RequestFailureLog } from '../request-log.ts';
import { type CallerRequest, type ReplyPolicy, saysYes } from './policy.ts';
import { redactedReport } from './redact.ts';

/** Whom a report goes to, as its policy knows them. */
export interface ReportCaller {
  readonly options: { readonly policy?: ReplyPolicy | undefined; readonly maxHeaderBytes?: number | undefined };
  /** The request; `undefined` where it is over, or none of Node's. */
  readonly request?: unknown;
  /** What `sendReportTo` said, once it was asked. */
  mayHaveReport?: boolean | undefined;
}

/** What a reply's header comes to, at the moment it leaves. */
export interface ReplyHeader {
  /** What the app had put on the reply. */
  readonly set: FailureReport | undefined;
  /** All of it: what was set on the reply and what its request came to, whoever may see it. */
  readonly report: FailureReport;
  /** What the header must say now; `undefined` when it says so already, or there is nothing to say. */
  readonly value: string | undefined;
  /** What the app had put on the reply may not be seen by the caller: without a `value` it must go. */
  readonly isWithheld: boolean;
  /** What it says of the report, once it has left. */
  sent: ReplyReported['sent'];
}

/**
 * Makes the header of a reply that leaves: its request's own chain and log, what the caller may see of it, in the room
 * that there is.
 *
 * @param values - what the app had put into the header
 */
export function replyHeader(log: RequestFailureLog, values: readonly string[]): ReplyHeader {
  const own = log.replyReport();
  const set = decodeValues(values);
  const report = set === undefined ? own : set.merge(own);
  const outgoing = reportForCaller(log.served, report);
  // With nothing to add the app's own header stays as the app wrote it.
  if (outgoing === report && report === set && (values.length === 1 || own.isEmpty)) {
    return { set, report, value: undefined, isWithheld: false, sent: 'report' };
  }
  const value = headerValue(outgoing, log.served?.options.maxHeaderBytes);
  const isWithheld = set !== undefined && outgoing !== report;
  return { set, report, value, isWithheld, sent: sentWith(value, outgoing) };
}

function sentWith(value: string | undefined, report: FailureReport): ReplyReported['sent'] {
  if (value === undefined) return 'nothing';
  return value === OMITTED_HEADER_VALUE && report.events.size > 0 ? 'omitted' : 'report';
}

/** Tells of the failures that are the reply's own: what the app had put on it, and what its request named. */
export function announceReplyFailures(log: RequestFailureLog, set: FailureReport | undefined): void {
  // The rest of the log has been told before.
  const known = log.replyReport().events;
  if (set !== undefined && [...set.events.keys()].some((id) => !known.has(id))) {
    announceFailures({ report: set, origin: 'raised', log });
  }
  announceOwnFailure(log);
}

/** What of `report` a served request's caller may see: all of it without a policy, nothing of it, or a redacted copy. */
export function reportForCaller(served: ReportCaller | undefined, report: FailureReport): FailureReport {
  const policy = served?.options.policy;
  if (served === undefined || policy === undefined || report.isEmpty) return report;
  if (!mayHaveReport(served)) return FailureReport.EMPTY;
  return policy.redact === undefined ? report : redactedReport(report, policy.redact);
}

/** Asked once a request, when there is something to send for the first time. */
function mayHaveReport(served: ReportCaller): boolean {
  const { policy } = served.options;
  const sendReportTo = policy?.sendReportTo;
  if (sendReportTo === undefined) return true;
  // It is the one that Node hands to listeners, or a stand-in for it: what a policy asks of it is the policy's matter.
  const request = served.request as CallerRequest | undefined;
  if (request === undefined) return false;
  served.mayHaveReport ??= saysYes('server.sendReportTo', () => sendReportTo(request));
  return served.mayHaveReport;
}
