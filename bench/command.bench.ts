/**
 * `ng-failures` over 100,000 rows, beside reading the same files and parsing each line with JSON.parse, each in a process of
 * its own. Both are told by the CPU time of the whole process, its start and its threads included.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RowId } from './report/rows.ts';
import { handIn, inTurns, rounds } from './support/measure.ts';
import { writeRowsAndTraces } from './support/rows-files.ts';

const ROUNDS = rounds(7, 2);
const program = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const PARSE = program('programs/parse.cjs');
const COMMAND = process.env.NG_FAILURES ?? program('../dist/ng-failures.js');

interface Cost {
  readonly seconds: number;
  readonly megabytes: number;
}

function costOf(args: readonly string[]): Cost {
  const { status, stderr } = spawnSync(process.execPath, ['--require', program('programs/tell-cost.cjs'), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  const [, seconds, kilobytes] = /cost (\S+) (\d+)/.exec(stderr) ?? [];
  if (status !== 0 || kilobytes === undefined) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return { seconds: Number(seconds), megabytes: (Number(kilobytes) * 1024) / 1e6 };
}

function compare(id: RowId, memory: RowId, command: readonly string[], files: readonly string[]): void {
  const megabytes: number[] = [];
  const ours = (): number => {
    const cost = costOf([COMMAND, ...command]);
    megabytes.push(cost.megabytes);
    return cost.seconds;
  };
  const taken = inTurns([ours, () => costOf([PARSE, ...files]).seconds], ROUNDS, 0);
  handIn(
    id,
    taken.map(([own = Number.NaN, base = Number.NaN]) => own / base),
  );
  handIn(memory, megabytes);
}

const folder = mkdtempSync(join(tmpdir(), 'ng-failures-bench-'));
try {
  const { rows, traces } = await writeRowsAndTraces(folder);
  compare('command.reconcile', 'command.reconcile-memory', ['reconcile', rows, '--traces', traces], [rows, traces]);
  compare('command.show', 'command.show-memory', ['show', rows], [rows]);
  const page = join(folder, 'page.html');
  compare('command.summary', 'command.summary-memory', ['summary', rows, '--html', page], [rows]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
