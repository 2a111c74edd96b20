import { type Context, context } from '@opentelemetry/api';
import type { FailureReport } from '../records/failure-report.ts';
import { announceFailures } from '../transport/announce.ts';
import { RequestFailureLog } from '../transport/request-log.ts';
import { StreamFailureReportReader } from '../transport/stream/stream-reader.ts';
import { readReplyHead } from './reply-head.ts';

/**
 * An outgoing call, with the log and the context of the place where it was made. The reply arrives somewhere else: on a
 * socket that is used again the active context may be another request's.
 */
export class Call {
  /** The hook that watches it: of two copies of the package, or two instances, one acts. */
  readonly owner: object;
  readonly #log: RequestFailureLog | undefined;
  readonly #context: Context;
  #reader: StreamFailureReportReader | undefined;

  constructor(owner: object) {
    this.owner = owner;
    this.#log = RequestFailureLog.current();
    this.#context = context.active();
  }

  /**
   * Observes the report that the reply's headers hold.
   *
   * @param rawHeaders - names and values in turn, as they came
   * @returns whether the body is an event stream whose bytes are wanted
   */
  replied(rawHeaders: readonly unknown[]): boolean {
    const head = readReplyHead(rawHeaders);
    if (head.report !== undefined) this.#observe(head.report);
    if (head.isPlainEventStream) this.#reader = new StreamFailureReportReader();
    return head.isPlainEventStream;
  }

  /** Takes bytes of an event stream. */
  received(chunk: Uint8Array): void {
    this.#reader?.feed(chunk);
  }

  /** The body ended, complete or not; what it told until then is observed once. */
  ended(): void {
    const report = this.#reader?.finish();
    this.#reader = undefined;
    if (report !== undefined) this.#observe(report);
  }

  #observe(report: FailureReport): void {
    if (report.isEmpty) return;
    const observations = report.asObservations();
    this.#log?.keep(observations);
    announceFailures({
      report: observations,
      origin: 'forwarded',
      source: this,
      log: this.#log,
      context: this.#context,
    });
  }
}
