import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { checkRows } from './check.ts';
import { Fleet } from './fleet.ts';
import { startOtlpReceiver } from './otlp-receiver.ts';
import { type PlannedRollout, planOf } from './plan.ts';
import { startProgress } from './progress.ts';
import { report } from './report.ts';
import { appendRow, readRows } from './rows.ts';

/** A Collector, and the Jaeger behind it. */
export interface Elsewhere {
  readonly otlpEndpoint: string;
  readonly jaegerUrl: string;
}

export interface RunOptions {
  readonly rollouts: number;
  readonly concurrency: number;
  readonly seed: number;
  /** Folder of the files that the batch writes. */
  readonly out: string;
  /** The built `ng-failures`. */
  readonly command: string;
  /** Percent of the rollouts in which nothing fails, beside the stories. */
  readonly healthy: number;
  /** Where spans go instead of the embedded receiver, and where they are found then. */
  readonly elsewhere: Elsewhere | undefined;
}

const FILES = ['tasks.jsonl', 'rollouts.jsonl', 'rollouts_failures.jsonl', 'traces.jsonl'] as const;

/**
 * Plays the batch, checks what was saved, and lays rows and traces side by side.
 *
 * @returns the exit code
 */
export async function runBatch(options: RunOptions): Promise<number> {
  const [tasks, results, failures, traces] = await cleanFiles(options.out);
  const runId = randomBytes(4).toString('hex');
  const plan = planOf({ ...options, runId });
  for (const rollout of plan) await appendRow(tasks, rollout);

  // These go with the agent's model requests and must show up in no file.
  const secrets = {
    AGENT_API_KEY: process.env.AGENT_API_KEY ?? `sk-live-${hex()}`,
    AGENT_INSTRUCTIONS: process.env.AGENT_INSTRUCTIONS ?? `The vault opens with heron-${hex()}`,
  };
  const receiver = options.elsewhere === undefined ? await startOtlpReceiver(traces) : undefined;
  const fleet = new Fleet(telemetryEnv(options.elsewhere?.otlpEndpoint ?? receiver?.url ?? ''));
  const problems: string[] = [];
  const startedAt = new Date();
  try {
    await playAll({ fleet, plan, tasks, secrets, options });
  } finally {
    // Stopped first, for each process exports its last spans when it ends.
    const stubborn = await fleet.stop();
    await receiver?.close();
    problems.push(...stubborn.map((name) => `The ${name} did not end by itself`));
  }

  problems.push(...checkRows(plan, { results: await readRows(results), failures: await readRows(failures) }));
  problems.push(...(await leaks(options.out, Object.values(secrets))));
  return await report({
    command: options.command,
    problems,
    rows: [results, failures],
    traces: options.elsewhere === undefined ? { file: traces } : { url: options.elsewhere.jaegerUrl, since: startedAt },
  });
}

/** Starts the servers, each after those that it calls, and then the collector, until the batch is done. */
async function playAll(batch: {
  fleet: Fleet;
  plan: readonly PlannedRollout[];
  tasks: string;
  secrets: Readonly<Record<string, string>>;
  options: RunOptions;
}): Promise<void> {
  const { fleet, plan, tasks, secrets, options } = batch;
  console.log(`Starting the model server, the resources server and the agent for ${plan.length} rollouts …`);
  const MODEL_URL = await fleet.serve('model', { file: 'model.ts' });
  const RESOURCES_URL = await fleet.serve('resources', { file: 'resources.ts', env: { MODEL_URL } });
  const AGENT_URL = await fleet.serve('agent', { file: 'agent.ts', env: { MODEL_URL, RESOURCES_URL, ...secrets } });
  const progress = startProgress(plan.length);
  const began = performance.now();
  try {
    const collector = fleet.run('collector', {
      file: 'collector.ts',
      args: [tasks, options.out, String(options.concurrency)],
      env: { AGENT_URL, RESOURCES_URL },
      onMessage: (done) => progress.step(doneText(done)),
    });
    const [code, signal] = await once(collector, 'exit');
    if (code !== 0) throw new Error(`The collector ended early (${signal ?? `exit code ${code}`})`);
  } finally {
    progress.stop();
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `\nPlayed ${plan.length} rollouts in ${seconds.toFixed(1)} s: ${(plan.length / seconds).toFixed(1)} a second.`,
  );
}

function doneText(done: unknown): string {
  const { story, rolloutId, file }: Record<string, unknown> = { ...Object(done) };
  return `${rolloutId} ${story} → ${file}`;
}

/** The standard variables; each process adds its own service name. */
function telemetryEnv(endpoint: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
  };
}

async function cleanFiles(out: string): Promise<[string, string, string, string]> {
  await mkdir(out, { recursive: true });
  const [tasks, results, failures, traces] = FILES.map((name) => path.join(out, name));
  for (const name of FILES) await rm(path.join(out, name), { force: true });
  return [tasks ?? '', results ?? '', failures ?? '', traces ?? ''];
}

async function leaks(out: string, secrets: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(out)) {
    const text = await readFile(path.join(out, name), 'utf8');
    if (secrets.some((secret) => text.includes(secret))) found.push(`${name} holds a secret of the agent`);
  }
  return found;
}

function hex(): string {
  return randomBytes(12).toString('hex');
}
