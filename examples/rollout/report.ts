import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** Where the spans are: in a file, or in Jaeger. */
export type Traces = { readonly file: string } | { readonly url: string; readonly since: Date };

export interface ReportOptions {
  /** The built `ng-failures`. */
  readonly command: string;
  /** What is wrong with the rows. */
  readonly problems: readonly string[];
  readonly rows: readonly string[];
  readonly traces: Traces;
}

/** A span is in Jaeger when its process exported it, the Collector kept its trace, and Jaeger stored it. */
const PATIENCE_MS = 90_000;
const PAUSE_MS = 1_500;
/** Equal results in a row after which no more spans are expected: some sampled traces never come. */
const STEADY = 5;

/**
 * Prints each chain as a tree, what is wrong with the rows, and how rows and traces compare.
 *
 * @returns the exit code
 */
export async function report({ command, problems, rows, traces }: ReportOptions): Promise<number> {
  const source =
    'file' in traces
      ? ['--traces', traces.file]
      : ['--jaeger', traces.url, '--since', traces.since.toISOString(), ...(isSampled() ? ['--sampled'] : [])];
  console.log('');
  const shown = run(command, ['show', ...rows, ...('file' in traces ? source : [])]);
  console.log('');
  for (const problem of problems) console.log(`Wrong: ${problem}`);
  if (problems.length === 0) console.log('Each row is as its story tells, and no file holds a secret.\n');
  const reconcile = ['reconcile', ...rows, ...source];
  if (!('file' in traces)) await arrival(command, reconcile);
  const reconciled = run(command, reconcile);
  if (shown && reconciled && problems.length === 0) return 0;
  console.log('The batch failed: see above.');
  return 1;
}

function run(command: string, args: readonly string[]): boolean {
  return spawnSync(process.execPath, [command, ...args], { stdio: 'inherit' }).status === 0;
}

/** Waits until Jaeger has what it will get: all is well, or, where traces are sampled, nothing changes any more. */
async function arrival(command: string, reconcile: readonly string[]): Promise<void> {
  console.log('Waiting for the spans to arrive in Jaeger …');
  const deadline = performance.now() + PATIENCE_MS;
  let last = '';
  for (let same = 0; performance.now() < deadline && same < STEADY; ) {
    const { status, stdout } = spawnSync(process.execPath, [command, ...reconcile, '--json'], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    if (status === 0 && !isSampled()) return;
    // A wrong address, or no Jaeger: the run that follows says so.
    if (status !== 0 && status !== 1) return;
    same = stdout === last ? same + 1 : 0;
    last = stdout;
    await delay(PAUSE_MS);
  }
}

/** Whether the servers drop traces at the start, by the standard variable. */
function isSampled(): boolean {
  const sampler = process.env.OTEL_TRACES_SAMPLER ?? '';
  return /always_off|traceidratio/.test(sampler);
}
