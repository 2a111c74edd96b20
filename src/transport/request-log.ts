import { context } from '@opentelemetry/api';
import { failureReportFor } from '../failures/cause-chain.ts';
import { FailureReport } from '../records/failure-report.ts';
import type { ModelOperationObservation } from '../records/model-operation.ts';
import { LOG_MAX_EVENTS } from '../records/wire.ts';
import { announceFailures } from './announce.ts';
import type { ReportCaller } from './reply/outgoing.ts';
import { LOG_CONTEXT_KEY, requestStorage } from './request-scope.ts';

const NO_OPERATIONS: ReadonlyMap<string, ModelOperationObservation> = new Map();

/**
 * The failures observed while one request is served, other than the request's own. It keeps the first 64 events; a
 * report is kept or dropped whole, so that each kept event's causes are there too. A log in which nothing happened
 * costs next to nothing.
 */
export class RequestFailureLog {
  /** Most events that a log keeps. */
  static readonly MAX_EVENTS: number = LOG_MAX_EVENTS;

  #kept: FailureReport = FailureReport.EMPTY;
  #dropped = 0;
  #operations: Map<string, ModelOperationObservation> | undefined;
  #ownError: unknown;
  /**
   * Whether the reply's headers have left, or no reply is waited for: then the request's own failure is told at once.
   * @internal
   */
  replied = false;
  /**
   * The request whose log it is, for what its caller may see; `undefined` where `capture` made it.
   * @internal
   */
  served: ReportCaller | undefined;
  /**
   * Whether the request has closed. A context keeps its log; nobody may meet that one any more.
   * @internal
   */
  closed = false;

  /**
   * Runs `fn` with a new log as the current one, for `fn` and all asynchronous work it starts.
   *
   * @returns what `fn` returns
   */
  static capture<T>(fn: (log: RequestFailureLog) => T): T {
    const log = new RequestFailureLog();
    log.replied = true;
    return context.with(context.active().setValue(LOG_CONTEXT_KEY, log), () =>
      requestStorage.run({ log }, () => fn(log)),
    );
  }

  /** The log of the request being served; `undefined` outside of one. */
  static current(): RequestFailureLog | undefined {
    const log = asLog(context.active().getValue(LOG_CONTEXT_KEY));
    return log === undefined || log.closed ? requestStorage.getStore()?.log : log;
  }

  /** What was observed so far. It never has a `failureId`, and is marked omitted once events were dropped. */
  get report(): FailureReport {
    return this.#kept;
  }

  /** Each logical model call's outcome under its `operation_id`. */
  get modelOperations(): ReadonlyMap<string, ModelOperationObservation> {
    return this.#operations ?? NO_OPERATIONS;
  }

  /** How many new events came after the log was full. */
  get droppedEvents(): number {
    return this.#dropped;
  }

  /** The request's own failure, when `failRequest` named one. */
  get ownError(): unknown {
    return this.#ownError;
  }

  /** Whether nothing was observed and no failure named. */
  get isEmpty(): boolean {
    return this.#ownError === undefined && this.#kept.isEmpty;
  }

  /** Adds a report's events as observations and tells whoever shows failures. */
  add(report: FailureReport): void {
    const observations = this.keep(report);
    if (!observations.isEmpty) announceFailures({ report: observations, origin: 'attempt', log: this });
  }

  /**
   * Adds a report's events as observations, without telling anybody. Gives these back.
   * @internal
   */
  keep(report: FailureReport): FailureReport {
    const observations = FailureReport.parse(report).asObservations();
    let fresh = 0;
    for (const id of observations.events.keys()) if (!this.#kept.events.has(id)) fresh += 1;
    const full = fresh > 0 && (this.#dropped > 0 || this.#kept.events.size + fresh > LOG_MAX_EVENTS);
    if (full) this.#dropped += fresh;
    this.#kept = full ? this.#kept.merge(FailureReport.ofEvents({ omitted: true })) : this.#kept.merge(observations);
    return observations;
  }

  /**
   * Keeps one observation for each `operation_id`; the last one counts.
   * @internal
   */
  keepModelOperation(operation: ModelOperationObservation): void {
    this.#operations ??= new Map();
    this.#operations.set(operation.operation_id, operation);
  }

  /**
   * Names the request's own failure; the last one counts.
   * @returns false when `error` has no event in its chain; then nothing changes
   * @internal
   */
  fail(error: unknown): boolean {
    if (failureReportFor(error).failureId === undefined) return false;
    this.#ownError = error;
    return true;
  }

  /**
   * The report for this request's reply: its own failure's chain, always whole, merged with what was observed.
   *
   * @param error - the request's own failure; default: the one `failRequest` named, none on success
   */
  replyReport(error: unknown = this.#ownError): FailureReport {
    if (error === undefined || error === null) return this.#kept;
    return failureReportFor(error).merge(this.#kept);
  }
}

/** The context key's value is a log: only this package sets it, in one copy or another. */
function asLog(value: unknown): RequestFailureLog | undefined {
  return value === undefined || value === null ? undefined : (value as RequestFailureLog);
}
