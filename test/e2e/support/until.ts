import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits until something is so.
 *
 * @throws Error when it is not within `patienceMs`
 */
export async function until(isSo: () => Promise<boolean>, patienceMs = 30_000): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${patienceMs} ms: ${isSo}`);
    await delay(200);
  }
}
