import { FailureReport } from '../../records/failure-report.ts';
import { type CallerRequest, type ReplyPolicy, saysYes } from './policy.ts';
import { redactedReport } from './redact.ts';

/** Whom a report goes to, as its policy knows them. */
export interface ReportCaller {
  readonly options: { readonly policy?: ReplyPolicy | undefined };
  /** The request; `undefined` where it is over, or none of Node's. */
  readonly request?: unknown;
  /** What `sendReportTo` said, once it was asked. */
  mayHaveReport?: boolean | undefined;
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
