import { appendFileSync } from 'node:fs';
import type { RowId } from '../report/rows.ts';

/** The file that a bench's measurements go to; without it they are only printed. */
export const RESULTS_VARIABLE = 'BENCH_RESULTS';
/** Set in the short run. */
export const GUARD_VARIABLE = 'BENCH_GUARD';

/** How often to measure: less in the short run. */
export function rounds(full: number, guard: number): number {
  return process.env[GUARD_VARIABLE] === undefined ? full : guard;
}

/** Hands in all measurements of a row, one a round. */
export function handIn(id: RowId, values: readonly number[]): void {
  const line = JSON.stringify({ id, values });
  const file = process.env[RESULTS_VARIABLE];
  if (file === undefined) process.stdout.write(`${line}\n`);
  else appendFileSync(file, `${line}\n`);
}

/** Seconds of CPU that `work` takes in this process, its collector's threads included: others on the machine count little. */
export function cpuSeconds(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

/**
 * Measures all of `works` in turns, `count` times after `warmUps`. Each round begins with another one, so that none
 * always follows the same one.
 *
 * @returns for each round what each of them took, in their order
 */
export function inTurns(
  works: readonly (() => number)[],
  count: number,
  warmUps: number,
): readonly (readonly number[])[] {
  const all = Array.from({ length: warmUps + count }, (_, round) => {
    const taken = works.map(() => Number.NaN);
    for (let turn = 0; turn < works.length; turn += 1) {
      const index = (turn + round) % works.length;
      taken[index] = works[index]?.() ?? Number.NaN;
    }
    return taken;
  });
  return all.slice(warmUps);
}
