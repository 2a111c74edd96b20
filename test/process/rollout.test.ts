import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { FAILURE_KINDS, FailureReportRow } from 'opentelemetry-instrumentation-nemo-gym';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRows } from '../../examples/rollout/check.ts';
import { plannedRolloutOf, planOf } from '../../examples/rollout/plan.ts';
import type { Row } from '../../examples/rollout/rows.ts';
import { STORIES } from '../../examples/rollout/stories.ts';
import { type MirroredEvent, readTraces, type TracedSpan, without } from '../support/rollout-traces.ts';

const MAIN = 'examples/rollout/main.ts';
const SERVER = 2;
const SECRETS = {
  AGENT_API_KEY: 'sk-live-4b1dfa11u7e5ecre7',
  AGENT_INSTRUCTIONS: 'The vault opens with heron-5e7',
};

let out: string;
let run: { code: unknown; stdout: string; stderr: string; ms: number };
let results: Row[];
let failures: Row[];
let spans: TracedSpan[];

async function start(args: readonly string[], env: Record<string, string> = {}) {
  const began = performance.now();
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, ...args], { env: { ...process.env, ...env } });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, stdout, stderr, ms: performance.now() - began };
}

function rowsOf(file: string): Row[] {
  const lines = readFileSync(path.join(out, file), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

function reconcile(traces: string) {
  const rows = ['rollouts.jsonl', 'rollouts_failures.jsonl'].map((file) => path.join(out, file));
  const args = ['dist/ng-failures.js', 'reconcile', ...rows, '--traces', traces];
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

function eventsOf(row: Row) {
  return [...FailureReportRow.report(row).events.values()];
}

beforeAll(async () => {
  out = mkdtempSync(path.join(tmpdir(), 'rollout-'));
  run = await start(['--out', out], SECRETS);
  results = rowsOf('rollouts.jsonl');
  failures = rowsOf('rollouts_failures.jsonl');
  spans = readTraces(path.join(out, 'traces.jsonl'));
});

afterAll(() => rmSync(out, { recursive: true, force: true }));

describe('a batch of rollouts', () => {
  it('ends with all ids on both sides, within a minute', () => {
    expect(run.stdout).toContain('all ids on both sides');
    expect(run.stdout).not.toContain('Wrong');
    expect(run.stderr).toBe('');
    expect(run.code).toBe(0);
    expect(run.ms).toBeLessThan(60_000);
  });

  it('plays every story and fails at every boundary', () => {
    const rows = [...results, ...failures];
    expect(rows.length).toBeGreaterThanOrEqual(24);
    expect(STORIES.length).toBeGreaterThanOrEqual(10);
    expect(new Set(rows.map((row) => row.story))).toEqual(new Set(STORIES.map(({ name }) => name)));
    const events = rows.flatMap(eventsOf);
    expect(new Set(events.map((event) => event.boundary))).toEqual(
      new Set(['model', 'harness', 'agent', 'resources_server', 'environment', 'collection']),
    );
    const kinds = new Set(events.map((event) => event.failure_kind));
    expect(kinds.size).toBeGreaterThanOrEqual(8);
    for (const kind of kinds) expect(FAILURE_KINDS).toContain(kind);
    expect(rows.filter((row) => row[FailureReportRow.OMITTED] === true).map((row) => row.story)).toContain(
      'report_too_large',
    );
  });

  it('saves rows as a Gym user has them', () => {
    for (const row of [...results, ...failures]) {
      expect(row).toMatchObject({
        _ng_task_index: expect.any(Number),
        _ng_rollout_index: expect.any(Number),
        _ng_rollout_id: expect.any(String),
        agent_ref: { name: expect.any(String) },
        responses_create_params: { input: expect.any(Array) },
      });
    }
    const judged = results.filter((row) => String(row.story).startsWith('judge_'));
    expect(judged.length).toBeGreaterThan(0);
    for (const row of judged) {
      expect(row).toMatchObject({
        reward: 0,
        mask_sample: true,
        failure_kind: 'judge_failed',
        failure_reason: expect.any(String),
        _ng_failure_class: 'judge_failed',
      });
    }
    const handled = failures.find((row) => row.story === 'episode_handled');
    expect(handled).toMatchObject({ failure: { terminal: true, failure_kind: 'session_lost', stage: 'agent' } });
    expect(handled).not.toHaveProperty('failure_report');
  });

  it('lets no secret of a request into a file or the output', () => {
    // The foreign provider did repeat the key: its message came, and was masked.
    const refused = failures.filter((row) => row.story === 'quota_exhausted').flatMap(eventsOf);
    expect(refused.map((event) => event.foreign_error?.message)).toContain('429 Quota exceeded for API key ***');
    for (const secret of Object.values(SECRETS)) {
      for (const file of readdirSync(out)) expect(readFileSync(path.join(out, file), 'utf8')).not.toContain(secret);
      expect(run.stdout + run.stderr).not.toContain(secret);
    }
  });

  it('shows each saved event on a span of the rollout’s only trace, saying the same', () => {
    let compared = 0;
    for (const row of [...results, ...failures]) {
      const traces = new Set(
        spans
          .filter((span) => span.attributes['nemo.gym.rollout.id'] === row._ng_rollout_id)
          .map((span) => span.traceId),
      );
      expect(traces.size, `traces of ${row._ng_rollout_id}`).toBe(1);
      for (const event of eventsOf(row)) {
        const mirrored = mirroredAs(event.event_id);
        expect(mirrored.length, `span events of ${event.event_id} (${row.story})`).toBeGreaterThan(0);
        for (const { attributes, traceId } of mirrored) {
          expect(traces).toContain(traceId);
          expect(attributes['nemo.gym.failure.kind']).toBe(event.failure_kind);
          expect(attributes['nemo.gym.failure.boundary']).toBe(event.boundary);
          expect(attributes['nemo.gym.failure.stage']).toBe(event.stage);
          expect(attributes['nemo.gym.failure.cause_id']).toBe(event.cause_id);
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(50);
  });

  it('has each rollout’s servers in one trace below the collector’s span', () => {
    const roots = spans.filter((span) => span.name.startsWith('rollout ') && span.parentSpanId === '');
    expect(roots.length).toBe(2 * STORIES.length);
    for (const root of roots.filter((span) => span.attributes['nemo.gym.rollout.id'] !== undefined)) {
      const services = new Set(spans.filter((span) => span.traceId === root.traceId).map((span) => span.service));
      expect(services).toContain('collector');
      expect(services).toContain('agent');
    }
    expect(new Set(spans.map((span) => span.service))).toEqual(new Set(['collector', 'agent', 'model', 'resources']));
  });

  it('is named by reconcile when one mirrored event is taken out of the traces', () => {
    const row = failures.find((candidate) => candidate.story === 'verification_fails');
    const id = String(row?.[FailureReportRow.FAILURE_ID]);
    const traces = path.join(out, 'traces.jsonl');
    expect(reconcile(traces).status).toBe(0);
    const lacking = path.join(out, 'lacking.jsonl');
    writeFileSync(lacking, without(traces, id));
    const { status, stdout } = reconcile(lacking);
    rmSync(lacking);
    expect(status).toBe(1);
    const line = stdout.split('\n').find((candidate) => candidate.includes(id));
    expect(line).toContain(`rollouts_failures.jsonl:${failures.indexOf(row ?? {}) + 1}`);
    expect(line).toContain(String(row?._ng_rollout_id));
    expect(line).toContain(mirroredAs(id)[0]?.traceId);
  });

  it('names the rollout on the span of each request, also of one that was never answered', () => {
    let named = 0;
    for (const { kind, attributes } of spans) {
      const target = attributes['url.path'] ?? attributes['http.target'];
      const [, id] = /^\/ng-rollout\/([^/]+)\//.exec(String(target)) ?? [];
      if (kind !== SERVER || id === undefined) continue;
      expect(attributes['nemo.gym.rollout.id']).toBe(id);
      named += 1;
    }
    expect(named).toBeGreaterThan(4 * STORIES.length);
  });

  it('notices a row that differs from its story', () => {
    const plan = rowsOf('tasks.jsonl').map(plannedRolloutOf);
    expect(checkRows(plan, { results, failures })).toEqual([]);
    const [first, ...others] = failures;
    const cleared = { ...first, [FailureReportRow.EVENTS]: undefined, [FailureReportRow.FAILURE_ID]: undefined };
    for (const wrong of [others, [cleared, ...others]]) {
      expect(checkRows(plan, { results, failures: wrong })).toEqual([
        expect.stringContaining(`${first?._ng_rollout_id} (${first?.story}), failures: expected its own`),
      ]);
    }
    const stray = { ...results[0], _ng_rollout_id: 'another' };
    expect(checkRows(plan, { results: [...results, stray], failures })).toEqual([
      'results: 1 rows belong to no rollout of this batch',
    ]);
  });
});

function mirroredAs(id: string): MirroredEvent[] {
  return spans.flatMap((span) => span.failures).filter((event) => event.attributes['nemo.gym.failure.event_id'] === id);
}

describe('the plan', () => {
  it('is the same for the same seed, and plays every story before any a second time', () => {
    const plan = (seed: number) => planOf({ rollouts: STORIES.length, seed, runId: 'run' });
    expect(plan(7)).toEqual(plan(7));
    expect(plan(7).map(({ story }) => story)).not.toEqual(plan(8).map(({ story }) => story));
    expect(new Set(plan(7).map(({ story }) => story)).size).toBe(STORIES.length);
  });
});
