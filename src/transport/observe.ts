import type { Context } from '@opentelemetry/api';
import { failureReportFor } from '../failures/cause-chain.ts';
import { FailureReport } from '../records/failure-report.ts';
import { type ModelOperationObservation, readModelOperation } from '../records/model-operation.ts';
import { shown } from '../records/text.ts';
import { announceFailures, announceModelOperation, type FailureOrigin } from './announce.ts';
import { guarded, tellForDebugging } from './guard.ts';
import { FailureHeader } from './header.ts';
import type { HeadersLike } from './headers-like.ts';
import { RequestFailureLog } from './request-log.ts';

/** Where something was observed, when that is not the request being served right now. */
export interface ObservedIn {
  /** Default: the current request's log. */
  readonly log?: RequestFailureLog | undefined;
  /** Default: the active context. */
  readonly context?: Context | undefined;
}

const NO_EVENT =
  'there is no NgFailureEvent in the error’s explicit chain; throw one with the error as its `cause`, and pass it on as it is';
const NO_REQUEST =
  'no request is being served here; call it in a handler of a server that the instrumentation, a framework adapter or ' +
  'withFailureReports serves, or inside RequestFailureLog.capture';

/**
 * Records a failure for the request being served, for example an attempt that a retry may replace. Without an event in
 * `error`'s chain nothing happens. Never throws.
 */
export function observeFailure(error: unknown, where: ObservedIn = {}): void {
  guarded('observing a failure', () => {
    const report = failureReportFor(error);
    if (report.isEmpty) tellForDebugging(`observeFailure did nothing: ${NO_EVENT}`);
    else observe(report.asObservations(), 'attempt', where, error);
  });
}

/** Records the report that another Gym server's reply forwarded, on success or failure. Never throws. */
export function observeReply(headers: HeadersLike | null | undefined, where: ObservedIn = {}): void {
  guarded('observing a reply', () => {
    const report = FailureHeader.decode(headers);
    if (report !== undefined) observeReport(report, where);
  });
}

/**
 * Records a report that came with another server's reply.
 * @internal
 */
export function observeReport(report: FailureReport, where: ObservedIn = {}): void {
  if (!report.isEmpty) observe(report.asObservations(), 'forwarded', where);
}

function observe(report: FailureReport, origin: FailureOrigin, where: ObservedIn, error?: unknown): void {
  const log = where.log ?? RequestFailureLog.current();
  log?.keep(report);
  announceFailures({ report, origin, error, log, context: where.context });
}

/** What one logical model call came to; see {@link ModelOperationObservation} for each member. */
export interface ModelOperationOptions {
  /** Names the operation; the log keeps the last observation of each. Not empty. Wire key: `operation_id`. */
  readonly operationId: string;
  /** How the call ended, after all its retries: `completed` or `failed`. */
  readonly outcome: ModelOperationObservation['outcome'];
  /** Names the last HTTP attempt, as the model client knows it. Wire key: `final_attempt_id`. */
  readonly finalAttemptId?: string | null | undefined;
  /** Event id of the failure that ended the call. Wire key: `failure_id`. */
  readonly failureId?: string | null | undefined;
  /** How many HTTP attempts were made, an integer ≥ 0. Wire key: `http_attempts`. */
  readonly httpAttempts?: number | null | undefined;
  /** How many of them failed in transport, an integer ≥ 0. Wire key: `transport_failures`. */
  readonly transportFailures?: number | null | undefined;
  /** Seconds waited between attempts, ≥ 0. Wire key: `retry_wait_s`. */
  readonly retryWaitS?: number | null | undefined;
  /** Milliseconds from the first attempt to the end, ≥ 0. Wire key: `request_elapsed_ms`. */
  readonly requestElapsedMs?: number | null | undefined;
}

/**
 * Records how a logical model call (a retry loop) ended, one observation for each `operationId`, in the request's log
 * and on the span. It is not part of the report.
 *
 * @throws TypeError that names the member and the value, also outside a request
 */
export function observeModelOperation(options: ModelOperationOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`observeModelOperation: its argument is ${shown(options)}: give { operationId, outcome, … }`);
  }
  const operation = readModelOperation({
    operation_id: options.operationId,
    outcome: options.outcome,
    final_attempt_id: options.finalAttemptId,
    failure_id: options.failureId,
    http_attempts: options.httpAttempts,
    transport_failures: options.transportFailures,
    retry_wait_s: options.retryWaitS,
    request_elapsed_ms: options.requestElapsedMs,
  });
  guarded('observing a model operation', () => {
    const log = RequestFailureLog.current();
    log?.keepModelOperation(operation);
    announceModelOperation({ operation, log });
  });
}

/**
 * Names the served request's own failure, whose chain its reply reports; the last call counts. Without a request, or
 * without an event in `error`'s chain, nothing happens. Changes neither status nor body. Never throws.
 */
export function failRequest(error: unknown): void {
  guarded('naming the request’s failure', () => {
    const log = RequestFailureLog.current();
    if (log === undefined) return tellForDebugging(`failRequest did nothing: ${NO_REQUEST}`);
    if (!log.fail(error)) return tellForDebugging(`failRequest did nothing: ${NO_EVENT}`);
    // Until the reply leaves a later call may still replace it; then announceOwnFailure tells of it.
    if (log.replied) announceOwnFailure(log);
  });
}

/**
 * Tells of the request's own failure, once its reply leaves.
 * @internal
 */
export function announceOwnFailure(log: RequestFailureLog, where: ObservedIn = {}): void {
  const error = log.ownError;
  if (error === undefined) return;
  announceFailures({ ...where, report: failureReportFor(error), origin: 'raised', error, log });
}

/**
 * `error`'s explicit cause chain, for a reply that carries it beside an `EpisodeFailure`; `undefined` without an event.
 */
export function replyFailureReport(error: unknown): FailureReport | undefined {
  const report = failureReportFor(error);
  return report.isEmpty ? undefined : report;
}

/**
 * The report that the current request's reply would carry now: `error`'s chain (default: what `failRequest` named)
 * merged with the request's log. Outside a request it is the chain alone.
 */
export function reportForCurrentRequest(error?: unknown): FailureReport {
  const log = RequestFailureLog.current();
  if (log !== undefined) return log.replyReport(error);
  return error === undefined || error === null ? FailureReport.EMPTY : failureReportFor(error);
}
