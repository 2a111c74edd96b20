import { type Context, context } from '@opentelemetry/api';
import { safeGet } from '../../failures/foreign-error.ts';
import { rebuildFailure } from '../../failures/rebuild.ts';
import { isHttpStatus } from '../../records/failure-event.ts';
import type { FailureReport } from '../../records/failure-report.ts';
import { isBelieved } from '../believed.ts';
import { guarded } from '../guard.ts';
import { FailureHeader } from '../header.ts';
import type { HeadersLike } from '../headers-like.ts';
import { observeFailure, observeReport } from '../observe.ts';
import { RequestFailureLog } from '../request-log.ts';
import {
  type AttemptEnding,
  clientTimeoutEnding,
  modelEvent,
  statusEnding,
  transportEnding,
  unclearAbortEnding,
} from './attempt-event.ts';
import type { ModelCall } from './call.ts';
import { currentOperation, type NextStep, type WaitingAttempt } from './operation-scope.ts';
import { ErrorBody, headersOf } from './provider-reply.ts';
import type { ReplyWatcher } from './reply-watch.ts';
import { isAbort, transportEvidence } from './transport-kind.ts';

/** How long a 429 waits for the body that tells a quota from a rate, in milliseconds. Only the event waits, not the app. */
const BODY_PATIENCE_MS = 100;
/** A client's timer starts before its fetch, and a timer may be early by a little; in milliseconds. */
const TIMER_SLACK_MS = 50;
const TOO_MANY_REQUESTS = 429;
const FAILING_STATUS = 400;

/**
 * One HTTP attempt of a model client, from its start to the end of its reply. At most one event comes of it, observed in
 * the request in which it was started. It holds nothing once it is done: a kept-alive connection may hold it.
 */
export class ModelAttempt implements ReplyWatcher, WaitingAttempt {
  readonly id = crypto.randomUUID().replaceAll('-', '');
  request: object | undefined;
  isOpen = true;

  readonly #call: ModelCall;
  readonly #scope = currentOperation();
  readonly #number: number | undefined;
  readonly #startedAt = performance.now();
  #log: RequestFailureLog | undefined = RequestFailureLog.current();
  #context: Context | undefined = context.active();
  #isDone = false;
  #status: number | undefined;
  #headers: HeadersLike | undefined;
  #remote: FailureReport | undefined;
  #body: ErrorBody | undefined;
  #hasEnded = false;
  #broken: { readonly error: unknown } | undefined;
  #aborted: { readonly error: unknown; readonly elapsedMs: number } | undefined;

  constructor(call: ModelCall) {
    this.#call = call;
    this.#number = this.#scope?.begin(this.id) ?? (call.retries === undefined ? undefined : call.retries + 1);
  }

  /** The fetch was rejected. */
  rejected(error: unknown): void {
    this.#close();
    const evidence = transportEvidence(error);
    if (isAbort(error, this.#call.signal) && evidence?.kind !== 'transport_timeout') this.#abort(error);
    else this.#fail(transportEnding(error, evidence, 'failed'));
  }

  /** The fetch gave a response. */
  replied(response: unknown): void {
    this.#close();
    const status = safeGet(response, 'status');
    this.#status = isHttpStatus(status) ? status : undefined;
    this.#headers = headersOf(response);
    const isAccepted = isBelieved(() => addressOf(response) ?? this.#call.url);
    this.#remote = isAccepted ? FailureHeader.decode(this.#headers) : undefined;
    if (this.#remote !== undefined) observeReport(this.#remote, { log: this.#log, context: this.#context });
    const more = this.request !== undefined && !this.#hasEnded && this.#broken === undefined;
    if (!more) this.#endOfBody();
    else if (this.#status === TOO_MANY_REQUESTS) this.#awaitBody();
    else if (this.#hasFailingStatus) this.#failStatus();
  }

  sent(): void {
    this.#body = undefined;
    this.#hasEnded = false;
    this.#broken = undefined;
  }

  bytes(chunk: Uint8Array): void {
    this.#body ??= new ErrorBody();
    this.#body.add(chunk);
  }

  ended(): void {
    this.#hasEnded = true;
    this.#scope?.rest();
    if (!this.isOpen) this.#endOfBody();
  }

  broke(error: unknown): void {
    this.#broken = { error };
    this.#scope?.rest();
    if (!this.isOpen) this.#endOfBody();
  }

  /** The client's next step tells what an attempt came to that its own facts leave open. */
  settle(next: NextStep): void {
    if (this.#isDone) return;
    if (this.#aborted === undefined) this.#failStatus();
    else if (next === 'ended') this.#finish();
    else this.#fail(clientTimeoutEnding(this.#aborted.error, this.#aborted.elapsedMs));
  }

  get #hasFailingStatus(): boolean {
    return this.#status !== undefined && this.#status >= FAILING_STATUS;
  }

  #close(): void {
    this.isOpen = false;
    this.#scope?.end();
  }

  /** No more of the reply will be heard of. */
  #endOfBody(): void {
    if (this.#hasFailingStatus) this.#failStatus();
    else if (this.#broken === undefined) this.#finish();
    else this.#breakOff(this.#broken.error);
  }

  /** The client goes on meanwhile: whatever it does next, the event comes first. */
  #awaitBody(): void {
    this.#scope?.awaitNext(this);
    const settle = () => guarded('observing a model attempt', () => this.settle('ended'));
    // A busy process reads what came meanwhile first.
    setTimeout(() => setImmediate(settle), BODY_PATIENCE_MS).unref();
  }

  /**
   * The signal ended the attempt. That is the caller's wish and no failure, unless it was a clock: Stainless clients abort
   * with one and the same error for both.
   */
  #abort(error: unknown): void {
    const elapsedMs = performance.now() - this.#startedAt;
    const { limitS } = this.#call;
    if (limitS !== undefined && limitS > 0 && elapsedMs >= limitS * 1000 - TIMER_SLACK_MS) {
      this.#fail(clientTimeoutEnding(error, elapsedMs));
    } else if (this.#scope !== undefined) {
      this.#aborted = { error, elapsedMs };
      this.#scope.awaitNext(this);
    } else if (limitS === 0) {
      // A limit under a second is sent as 0: nothing here tells it from the caller's wish.
      this.#fail(unclearAbortEnding(error, elapsedMs));
    } else {
      this.#finish();
    }
  }

  #failStatus(): void {
    const cause = this.#remote === undefined ? undefined : rebuildFailure(this.#remote);
    this.#fail(statusEnding(this.#status ?? 0, this.#body?.code(this.#headers), cause));
  }

  /** The reply's body broke off; a reader that gave it up is no failure. */
  #breakOff(error: unknown): void {
    const evidence = transportEvidence(error);
    if (isAbort(error, this.#call.signal) && evidence?.kind !== 'transport_timeout') this.#finish();
    else this.#fail(transportEnding(error, evidence, 'broke off in the reply'));
  }

  #fail(ending: AttemptEnding): void {
    const event = modelEvent(this.#call, ending, {
      number: this.#number,
      id: this.#scope === undefined ? undefined : this.id,
      elapsedMs: this.#aborted?.elapsedMs ?? performance.now() - this.#startedAt,
      status: this.#status,
      headers: this.#headers,
    });
    this.#scope?.failed(this.id, ending.kind, event.eventId);
    observeFailure(event, { log: this.#log, context: this.#context });
    this.#finish();
  }

  #finish(): void {
    this.#isDone = true;
    this.request = undefined;
    this.#log = undefined;
    this.#context = undefined;
    this.#headers = undefined;
    this.#remote = undefined;
    this.#body = undefined;
    this.#broken = undefined;
    this.#aborted = undefined;
  }
}

/** Where the reply came from in the end, after redirects. */
function addressOf(response: unknown): string | undefined {
  const url = safeGet(response, 'url');
  return typeof url === 'string' && url !== '' ? url : undefined;
}
