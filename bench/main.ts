import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { failures, type Run, runOf } from './report/results.ts';
import { ROWS } from './report/rows.ts';
import { markdownTable, textTable } from './report/table.ts';
import { GUARD_VARIABLE, RESULTS_VARIABLE } from './support/measure.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const BENCHES: readonly string[] = [...new Set(ROWS.map(({ bench }) => bench))];

/** Runs what the command line names; gives back the exit code. */
export function main(args: readonly string[]): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      guard: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      out: { type: 'string', default: join(FOLDER, '../out/bench.json') },
    },
  });
  if (values.markdown) {
    process.stdout.write(markdownTable(positionals.map(readRun)));
    return 0;
  }
  const unknown = positionals.filter((name) => !BENCHES.includes(name));
  if (unknown.length > 0) {
    console.error(`No bench named ${unknown.join(', ')}; there are ${BENCHES.join(', ')}`);
    return 2;
  }
  const wanted = positionals.length > 0 ? positionals : BENCHES;
  const broken: string[] = [];
  const run = measure(wanted, values.guard, broken);
  mkdirSync(dirname(values.out), { recursive: true });
  writeFileSync(values.out, `${JSON.stringify(run, undefined, 2)}\n`);
  process.stdout.write(textTable(run));
  const failed = failures(run);
  for (const { id, verdict } of failed) console.error(`${verdict}: ${id}`);
  if (broken.length > 0) console.error(`broken: ${broken.join(', ')}`);
  return failed.length + broken.length > 0 ? 1 : 0;
}

/** Each bench is a process of its own, one after the other. */
function measure(benches: readonly string[], guard: boolean, broken: string[]): Run {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const results = join(folder, 'results.jsonl');
    writeFileSync(results, '');
    const env = { ...process.env, [RESULTS_VARIABLE]: results, ...(guard ? { [GUARD_VARIABLE]: '1' } : {}) };
    for (const bench of benches) {
      const start = performance.now();
      const file = join(FOLDER, `${bench}.bench.ts`);
      const options = ['--expose-gc', '--import', 'tsx', file];
      const { status } = spawnSync(process.execPath, options, { stdio: ['ignore', 'inherit', 'inherit'], env });
      if (status !== 0) broken.push(bench);
      console.error(
        `${bench}: ${status === 0 ? 'done' : 'BROKEN'} after ${((performance.now() - start) / 1000).toFixed(0)} s`,
      );
    }
    const facts = {
      node: process.versions.node,
      cpu: cpus()[0]?.model ?? 'unknown processor',
      cores: cpus().length,
      date: new Date().toISOString(),
      guard,
      benches,
    };
    return runOf(facts, ROWS, readResults(results));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readResults(file: string): ReadonlyMap<string, readonly number[]> {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const results: { id: string; values: readonly number[] }[] = lines.map((line) => JSON.parse(line));
  return new Map(results.map(({ id, values }) => [id, values]));
}

function readRun(file: string): Run {
  return JSON.parse(readFileSync(file, 'utf8'));
}
