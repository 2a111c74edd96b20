import { diag } from '@opentelemetry/api';
import { explained } from '../records/text.ts';

const QUIET_MS = 60_000;
const lastTold = new Map<string, number>();

/**
 * One diagnostic line for a fault, and then at most one a minute for the same kind of work.
 *
 * @param consequence - what follows from it, for whoever reads the line
 */
export function tellFault(what: string, error: unknown, consequence = 'the app goes on without it'): void {
  try {
    const now = Date.now();
    const last = lastTold.get(what);
    if (last !== undefined && now - last < QUIET_MS) return;
    lastTold.set(what, now);
    const line = `${what} failed; ${consequence} (${explained(error)})`;
    diag.error(`opentelemetry-instrumentation-nemo-gym: ${line}`);
  } catch {
    // A diagnostic logger that throws must not reach the app either.
  }
}

/** One line for whoever looks for why nothing happened, on the level DEBUG. Costs nearly nothing without a logger. */
export function tellForDebugging(line: string): void {
  diag.debug(`opentelemetry-instrumentation-nemo-gym: ${line}`);
}

/**
 * One line of an option that was given wrongly, on the level WARN. Not at once: where the instrumentations stand in the
 * call of NodeSDK, they are made before NodeSDK sets the logger.
 */
export function tellOfOption(line: string): void {
  queueMicrotask(() => {
    try {
      diag.warn(`opentelemetry-instrumentation-nemo-gym: ${line}`);
    } catch {
      // As above.
    }
  });
}

/** What `fn` gives back; `undefined` and one diagnostic line where it throws. `what` names the work, e.g. "mirroring a failure". */
export function guarded<T>(what: string, fn: () => T): T | undefined {
  try {
    return fn();
  } catch (error) {
    tellFault(what, error);
    return undefined;
  }
}
