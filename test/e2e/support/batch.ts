import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { FailureReportRow } from 'opentelemetry-instrumentation-nemo-gym';
import type { Collector, Jaeger } from './peers.ts';

/** A batch of rollouts that was played, and what it left. */
export interface Batch {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Its last words: whether rows are right, and how rows and traces compare. */
  readonly outcome: string;
  readonly folder: string;
  /** The rows' files. */
  readonly rowFiles: readonly string[];
  readonly rows: readonly BatchRow[];
  /** Each id once, as the first row that has it tells it. */
  readonly events: ReadonlyMap<string, RowEvent>;
}

export interface BatchRow {
  readonly story: string;
  readonly rolloutId: string;
  readonly failureId: string | undefined;
  readonly omitted: boolean;
  readonly eventIds: readonly string[];
}

export interface RowEvent {
  readonly rolloutId: string;
  readonly causeId: string | undefined;
  readonly boundary: string;
  readonly kind: string;
}

export interface BatchOptions {
  readonly jaeger: Jaeger;
  readonly collector: Collector;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Called once when so many rollouts are done. */
  readonly midway?: { readonly after: number; readonly act: () => Promise<void> };
}

/** Plays the main job, as a user does who has a Collector and a Jaeger. */
export async function playBatch({ jaeger, collector, args = [], env = {}, midway }: BatchOptions): Promise<Batch> {
  const folder = mkdtempSync(path.join(tmpdir(), 'batch-'));
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/rollout/main.ts', '--out', folder, ...args], {
    env: {
      ...process.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.otlpHttpUrl,
      JAEGER_URL: jaeger.url,
      OTEL_BSP_SCHEDULE_DELAY: '500',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = text(child.stderr);
  const lines: string[] = [];
  let acted: Promise<void> | undefined;
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line);
    if (midway !== undefined && line.trimStart().startsWith(`${midway.after}/`)) acted ??= midway.act();
  });
  const [code] = await once(child, 'close');
  await acted;
  const rowFiles = ['rollouts.jsonl', 'rollouts_failures.jsonl'].map((name) => path.join(folder, name));
  const { rows, events } = readRows(rowFiles);
  const stdout = lines.join('\n');
  const stderr = await said;
  const last = stdout.slice(stdout.lastIndexOf('Each row is as'));
  const outcome = [last.slice(0, 200), last.slice(200).slice(-2_000), stderr.slice(-2_000)].join('\n');
  return { code, stdout, stderr, outcome, folder, rowFiles, rows, events };
}

function readRows(files: readonly string[]): Pick<Batch, 'rows' | 'events'> {
  const rows: BatchRow[] = [];
  const events = new Map<string, RowEvent>();
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').trimEnd().split('\n'));
  for (const line of lines) {
    const row = JSON.parse(line);
    const rolloutId = String(row._ng_rollout_id);
    const report = FailureReportRow.report(row);
    const eventIds = [...report.events.keys()];
    rows.push({ story: row.story, rolloutId, failureId: report.failureId, omitted: report.omitted, eventIds });
    for (const [id, event] of report.events) {
      const { cause_id: causeId, boundary, failure_kind: kind } = event;
      events.set(id, { rolloutId, causeId, boundary, kind });
    }
  }
  return { rows, events };
}

/** What `ng-failures` said. */
export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command. */
export async function ngFailures(args: readonly string[]): Promise<Said> {
  const child = spawn(process.execPath, ['dist/ng-failures.js', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}
