/**
 * `ng-failures` over 100,000 rows, as a ratio to reading the same file and parsing each line with JSON.parse, in a
 * process of its own like the command. Rounds alternate; the medians are compared.
 *
 * Run: `npm run build && node --import tsx bench/command.bench.ts [ROUNDS]`
 */
import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentFailure, attempt, eventId, reportOf, rolloutId, row, traceId } from '../test/support/rows.ts';
import { exportOf, span, spanEvent } from '../test/support/rows-traces.ts';

const ROWS = 100_000;
/** Rows of ten that have a report. */
const FAILED_OF_TEN = 3;
const ROW_BYTES = 1000;
const RATIO_MAX = 2.5;
const MEMORY_MAX_MB = 150;

const PARSE = `
const { openSync, readSync } = require('node:fs');
let objects = 0, tail = '';
for (const path of process.argv.slice(2)) {
  const file = openSync(path), buffer = Buffer.allocUnsafe(1 << 18);
  for (let n = readSync(file, buffer); n > 0; n = readSync(file, buffer)) {
    const lines = (tail + buffer.latin1Slice(0, n)).split('\\n');
    tail = lines.pop();
    for (const line of lines) if (JSON.parse(line) !== null) objects += 1;
  }
}
console.log(objects);
`;

const REPORT_RSS = `process.on('exit', () => process.stderr.write('rss-kb ' + process.resourceUsage().maxRSS + '\\n'));`;

interface Contender {
  readonly name: string;
  readonly args: readonly string[];
  readonly seconds: number[];
  readonly megabytes: number[];
}

const dir = mkdtempSync(join(tmpdir(), 'ng-failures-bench-'));
try {
  const files = await generate();
  const preload = join(dir, 'rss.cjs');
  writeFileSync(preload, REPORT_RSS);
  const parse = join(dir, 'parse.cjs');
  writeFileSync(parse, PARSE);
  const program = process.env.NG_FAILURES ?? fileURLToPath(new URL('../dist/ng-failures.js', import.meta.url));
  const contender = (name: string, ...args: string[]): Contender => ({
    name,
    args: ['--require', preload, ...args],
    seconds: [],
    megabytes: [],
  });
  const pairs = [
    [contender('parse rows', parse, files.rows), contender('show', program, 'show', files.rows)],
    [
      contender('parse rows and traces', parse, files.rows, files.traces),
      contender('reconcile', program, 'reconcile', files.rows, '--traces', files.traces),
    ],
    [
      contender('parse rows once more', parse, files.rows),
      contender('summary', program, 'summary', files.rows, '--html', join(dir, 'page.html')),
    ],
  ] as const;
  const rounds = Number(process.argv[2] ?? 5);
  for (let round = 0; round < rounds; round += 1) for (const one of pairs.flat()) run(one);
  let kept = true;
  for (const [base, command] of pairs) {
    const ratio = median(command.seconds) / median(base.seconds);
    const peak = Math.max(...command.megabytes);
    const ok = ratio <= RATIO_MAX && peak < MEMORY_MAX_MB;
    kept &&= ok;
    console.log(`${describe(base)}\n${describe(command)}`);
    console.log(
      `  ratio ${ratio.toFixed(2)} (at most ${RATIO_MAX}), peak ${peak.toFixed(0)} MB (under ${MEMORY_MAX_MB})`,
    );
  }
  console.log(`page of the summary: ${(statSync(join(dir, 'page.html')).size / 1e3).toFixed(0)} kB`);
  process.exitCode = kept ? 0 : 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function run({ name, args, seconds, megabytes }: Contender): void {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  seconds.push((performance.now() - start) / 1000);
  const rss = /rss-kb (\d+)/.exec(stderr)?.[1];
  if (status !== 0 || rss === undefined) throw new Error(`${name} ended with ${status}: ${stderr}`);
  megabytes.push((Number(rss) * 1024) / 1e6);
}

function describe({ name, seconds, megabytes }: Contender): string {
  const spread = `${Math.min(...seconds).toFixed(2)}–${Math.max(...seconds).toFixed(2)}`;
  return `${name}: ${median(seconds).toFixed(2)} s (${spread}), ${Math.max(...megabytes).toFixed(0)} MB`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

async function generate(): Promise<{ rows: string; traces: string }> {
  const rows = join(dir, 'rows.jsonl');
  const traces = join(dir, 'traces.jsonl');
  const rowsOut = createWriteStream(rows);
  const tracesOut = createWriteStream(traces);
  let spans: object[] = [];
  for (let index = 0; index < ROWS; index += 1) {
    const failed = index % 10 < FAILED_OF_TEN;
    const [first, second] = [attempt(eventId(index, 0)), agentFailure(eventId(index, 1), eventId(index, 0))];
    const report = failed ? reportOf([first, second], { failure_id: second.event_id }) : {};
    const bare = JSON.stringify(row(index, report));
    const answer = 'x'.repeat(Math.max(0, ROW_BYTES - bare.length - 14));
    rowsOut.write(`${JSON.stringify(row(index, report, { answer }))}\n`);
    const common = { traceId: traceId(index), rolloutId: rolloutId(index) };
    spans.push(
      span({ ...common, events: failed ? [spanEvent(first), spanEvent(second)] : [] }),
      span({ ...common, events: failed ? [spanEvent(first)] : [] }),
    );
    if (spans.length < 256 && index < ROWS - 1) continue;
    if (!tracesOut.write(`${JSON.stringify(exportOf(spans))}\n`)) await drained(tracesOut);
    if (rowsOut.writableNeedDrain) await drained(rowsOut);
    spans = [];
  }
  for (const stream of [rowsOut, tracesOut]) await new Promise<void>((resolve) => stream.end(resolve));
  for (const file of [rows, traces]) console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(0)} MB`);
  return { rows, traces };
}

async function drained(stream: NodeJS.WritableStream): Promise<void> {
  await new Promise((resolve) => stream.once('drain', resolve));
}
