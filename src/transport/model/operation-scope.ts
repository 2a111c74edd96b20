import { AsyncLocalStorage } from 'node:async_hooks';

/** What the client does next tells how an attempt ended: it tries again, it gives up for the time, it ends. */
export type NextStep = 'retried' | 'timed out' | 'ended';

/** An attempt that waits for the client's next step to be described. */
export interface WaitingAttempt {
  settle(next: NextStep): void;
}

/** What is counted while one logical model call runs. */
export class ModelOperationScope {
  httpAttempts = 0;
  transportFailures = 0;
  /** Milliseconds between attempts. */
  waitedMs = 0;
  /** When the first attempt began, on the clock of `performance.now()`. */
  firstAt: number | undefined;
  finalAttemptId: string | undefined;
  /** Event id of the final attempt, when that failed. */
  finalFailureId: string | undefined;
  /** Once the call is over nothing counts any more: what it started may go on. */
  isOver = false;

  #inFlight = 0;
  #idleSince: number | undefined;
  #waiting = new Set<WaitingAttempt>();

  /** An attempt begins. Gives back its number, from 1. */
  begin(attemptId: string): number {
    const now = performance.now();
    // One that was given up while another still runs was not retried, it lost a race.
    if (this.#inFlight === 0) {
      this.#settle('retried');
      if (this.#idleSince !== undefined) this.waitedMs += now - this.#idleSince;
    }
    this.#inFlight += 1;
    this.httpAttempts += 1;
    this.firstAt ??= now;
    this.finalAttemptId = attemptId;
    this.finalFailureId = undefined;
    return this.httpAttempts;
  }

  /** The attempt was answered or failed. */
  end(): void {
    this.#inFlight -= 1;
    this.rest();
  }

  /** Something of an attempt came to its end: waiting begins here at the earliest. */
  rest(): void {
    this.#idleSince = performance.now();
  }

  /** An attempt came to an event. */
  failed(attemptId: string, kind: string, eventId: string): void {
    if (kind.startsWith('transport_')) this.transportFailures += 1;
    if (attemptId === this.finalAttemptId) this.finalFailureId = eventId;
  }

  /** Tells `attempt` of the client's next step. */
  awaitNext(attempt: WaitingAttempt): void {
    this.#waiting.add(attempt);
  }

  /** The logical call is over. */
  close(next: NextStep): void {
    this.#settle(next);
    this.isOver = true;
  }

  #settle(next: NextStep): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const attempt of waiting) attempt.settle(next);
  }
}

const storage = new AsyncLocalStorage<ModelOperationScope>();

/** Runs `fn` inside `scope`. */
export function inOperation<T>(scope: ModelOperationScope, fn: () => T): T {
  return storage.run(scope, fn);
}

/** The logical call that runs here; `undefined` outside of one, or when it is over. */
export function currentOperation(): ModelOperationScope | undefined {
  const scope = storage.getStore();
  return scope?.isOver === true ? undefined : scope;
}
