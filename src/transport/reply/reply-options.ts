import { readMaxHeaderBytes } from './header-limit.ts';
import { type ReplyPolicy, readPolicy, type SendReportTo } from './policy.ts';
import type { Redact } from './redact.ts';

/** Options of `withFailureReports` and of the frameworks' `failureReports`. */
export interface FailureReportsOptions {
  /** Most bytes of the report header's value: an integer 16–4,096, default 4,096. */
  readonly maxHeaderBytes?: number | undefined;
  /**
   * Which callers get the failure report, in the header and in a stream's events; only `true` is yes. Where the
   * instrumentation serves the request already, its own `server.sendReportTo` is asked instead. Default: every caller.
   */
  readonly sendReportTo?: SendReportTo | undefined;
  /** Takes out of events what callers may not see; else as `sendReportTo`. Default: nothing is taken out. */
  readonly redact?: Redact | undefined;
}

/** The same, checked once. */
export interface ReplyOptions {
  readonly maxHeaderBytes: number;
  readonly policy: ReplyPolicy | undefined;
}

/** Reads what a user gave; what cannot be used is one diagnostic line. */
export function readReplyOptions(options: FailureReportsOptions): ReplyOptions {
  return {
    maxHeaderBytes: readMaxHeaderBytes(options.maxHeaderBytes),
    policy: readReplyPolicy(options, ''),
  };
}

/** The policies for replies, when there are any; `prefix` stands before an option's name in a diagnostic line. */
export function readReplyPolicy(
  options: Pick<FailureReportsOptions, 'sendReportTo' | 'redact'>,
  prefix: string,
): ReplyPolicy | undefined {
  const sendReportTo = readPolicy('server.sendReportTo', options.sendReportTo, `${prefix}sendReportTo`);
  const redact = readPolicy('redact', options.redact);
  return sendReportTo === undefined && redact === undefined ? undefined : { sendReportTo, redact };
}
