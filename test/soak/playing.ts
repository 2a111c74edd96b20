/** How the client of a soak plays: so many requests at once, none of which may hang. */
import { setTimeout as delay } from 'node:timers/promises';

/** Requests at once. */
export const AT_ONCE = 24;

/** What a parent asks to be played. */
export interface Playing {
  /** The server's port. */
  readonly server: number;
  readonly from: number;
  readonly to: number;
}

/** Plays the requests from one number to another. */
export async function playAll({ from, to }: Playing, one: (n: number) => Promise<void>): Promise<void> {
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to) {
      const n = next;
      next += 1;
      await one(n);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** A request that hangs must not keep the others waiting. */
export async function inTime<T>(work: Promise<T>, patienceMs: number): Promise<T> {
  const patience = new AbortController();
  const out = delay(patienceMs, undefined, patience).then(() => {
    throw new Error('it hangs');
  });
  try {
    return await Promise.race([work, out]);
  } finally {
    out.catch(() => {});
    patience.abort();
  }
}
