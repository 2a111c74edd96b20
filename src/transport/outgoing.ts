import { FailureReport } from '../records/failure-report.ts';
import { type CallerRequest, saysYes } from './policy.ts';
import { redactedReport } from './redact.ts';
import type { ServedRequest } from './served-request.ts';

/** What of `report` a served request's caller may see: all of it without a policy, nothing of it, or a redacted copy. */
export function reportForCaller(served: ServedRequest | undefined, report: FailureReport): FailureReport {
  const policy = served?.options.policy;
  if (served === undefined || policy === undefined || report.isEmpty) return report;
  if (!mayHaveReport(served)) return FailureReport.EMPTY;
  return policy.redact === undefined ? report : redactedReport(report, policy.redact);
}

/** Asked once a request, when there is something to send for the first time. */
function mayHaveReport(served: ServedRequest): boolean {
  const { policy } = served.options;
  const sendReportTo = policy?.sendReportTo;
  if (sendReportTo === undefined) return true;
  // It is the one that Node hands to listeners, or a stand-in for it: what a policy asks of it is the policy's matter.
  const request = served.request as CallerRequest | undefined;
  // Its request is over: nobody waits for anything that is made now.
  if (request === undefined) return false;
  served.mayHaveReport ??= saysYes('server.sendReportTo', () => sendReportTo(request));
  return served.mayHaveReport;
}
