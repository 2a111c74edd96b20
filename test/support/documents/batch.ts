import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeJaeger } from '../fake-jaeger.ts';
import { readTraces, without } from '../rollout-traces.ts';
import { type DocumentProject, documentProject } from './project.ts';
import { type ShellSaid, shell } from './shell.ts';

/** A clone in which `npm start` has run, with a Jaeger that has its spans: what the documents' commands are about. */
export interface Batch {
  readonly project: DocumentProject;
  /** What `npm start` said. */
  readonly started: ShellSaid;
  /** Runs a command of `ng-failures`, its Jaeger and the names that stand for files put in. */
  run(command: string): Promise<ShellSaid>;
  stop(): Promise<void>;
}

const ROWS = 'out/rollouts.jsonl out/rollouts_failures.jsonl';

export async function startBatch(): Promise<Batch> {
  const project = documentProject();
  const started = await shell(project, 'node --import tsx examples/rollout/main.ts --out out');
  const jaeger = await new FakeJaeger().start();
  for (const line of linesOf(project, 'out/traces.jsonl')) {
    for (const { resource, scopeSpans } of JSON.parse(line).resourceSpans) {
      for (const { spans } of scopeSpans) jaeger.add(serviceOf(resource), spans);
    }
  }
  const followed = leaveOut(project);
  return {
    project,
    started,
    run: (command) =>
      shell(
        project,
        command
          .replace(/^(npx )?ng-failures/, 'node_modules/.bin/ng-failures')
          .replace(/http:\/\/localhost:16686|\bURL\b/, jaeger.url)
          .replace(/ng-failures trace (?!.*--)/, `$&--jaeger ${jaeger.url} `)
          .replace('OTLP.jsonl', 'out/traces.jsonl')
          .replace(/(?<= )(ROWS\.jsonl|rollouts\.jsonl( rollouts_failures\.jsonl)?)/, ROWS)
          .replace('rollouts_failures.jsonl:3', `rollouts_failures.jsonl:${followed}`),
      ),
    async stop() {
      await jaeger.stop();
      project.remove();
    },
  };
}

function linesOf({ folder }: DocumentProject, file: string): string[] {
  return readFileSync(join(folder, file), 'utf8').trim().split('\n');
}

function serviceOf(resource: {
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}): string {
  const name = resource.attributes.find(({ key }) => key === 'service.name');
  return String(Object.values(name?.value ?? {})[0]);
}

/**
 * Writes the spans twice more: as they would be if one event had been lost, and if its rollout had been sampled out. It
 * is the rollout that the documents follow into Jaeger, whose answer could not be verified.
 *
 * @returns the line of its row
 */
function leaveOut(project: DocumentProject): number {
  const rows = linesOf(project, 'out/rollouts_failures.jsonl');
  const at = rows.findIndex((row) => row.includes('"_ng_task_index":20,'));
  const { _ng_failure_id: lost, _ng_rollout_id: rollout } = JSON.parse(rows[at] ?? '');
  const traces = join(project.folder, 'out/traces.jsonl');
  project.write('out/without-one.jsonl', without(traces, lost));
  const [its] = readTraces(traces).filter(({ attributes }) => attributes['nemo.gym.rollout.id'] === rollout);
  const sampled = readFileSync(traces, 'utf8').replaceAll(`"traceId":"${its?.traceId}"`, '"traceId":"SAMPLED-OUT"');
  const kept = sampled
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const { scopeSpans } of kept.flatMap(({ resourceSpans }) => resourceSpans)) {
    for (const scope of scopeSpans)
      scope.spans = scope.spans.filter(({ traceId }: { traceId: string }) => traceId !== 'SAMPLED-OUT');
  }
  project.write('out/sampled.jsonl', kept.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return at + 1;
}
