import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FailureReport } from '../../src/records/failure-report.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { FailureReportRow } from '../../src/transport/row.ts';
import { StreamFailureReportReader } from '../../src/transport/stream/stream-reader.ts';
import { type ExampleGym, startExampleGym } from '../support/example-gym.ts';
import { runCommand, runExample } from '../support/example-program.ts';
import { refusingOrigin } from '../support/failing-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'ng-examples-'));
let gym: ExampleGym;
let collected = 0;

beforeAll(async () => {
  gym = await startExampleGym();
});
afterAll(async () => {
  await gym[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function post(url: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: reply.status, report: FailureHeader.decode(reply.headers), text: await reply.text() };
}

type Row = Record<string, unknown>;

/** Has the collector play tasks. */
async function collect(tasks: readonly object[], env: Record<string, string>) {
  collected += 1;
  const name = join(folder, `rollouts-${collected}`);
  writeFileSync(`${name}-tasks.jsonl`, tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
  const said = await runExample('collector/collector.mjs', [`${name}-tasks.jsonl`, name], env);
  expect(said).toEqual({ code: 0, out: '', err: '' });
  return { good: rowsOf(`${name}.jsonl`), failed: rowsOf(`${name}_failures.jsonl`), files: name };
}

function rowsOf(file: string): Row[] {
  try {
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line): Row => JSON.parse(line));
  } catch {
    return [];
  }
}

/** The own failure of a report and its explicit causes. */
function chainOf(report: FailureReport | undefined, first = report?.failureId) {
  const chain = [];
  for (let id = first; id !== undefined; ) {
    const event = report?.events.get(id);
    if (event !== undefined) chain.push({ boundary: event.boundary, kind: event.failure_kind, id });
    id = event?.cause_id;
  }
  return chain;
}

const kindsOf = (report: FailureReport | undefined): string[] =>
  [...(report?.events.values() ?? [])].map(({ failure_kind: kind }) => kind);
const idsOf = (report: FailureReport | undefined): string[] => [...(report?.events.keys() ?? [])].sort();

const TASK = { responses_create_params: { model: 'policy', input: 'What is 6 times 7?' }, expected_answer: 'Hi' };

describe('openai-model', () => {
  it('answers after a retry, and its report has the attempt that failed', async () => {
    gym.provide({ policy: 'flaky' });
    const { status, report, text } = await post(`${gym.model.url}/v1/responses`, TASK.responses_create_params);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ id: 'resp-1', status: 'completed' });
    expect(report?.failureId).toBeUndefined();
    expect(kindsOf(report)).toEqual(['provider_unavailable']);
  });

  it('fails with the provider, and tells of each attempt beside its own failure', async () => {
    gym.provide({ policy: 'quota' });
    const { status, report, text } = await post(`${gym.model.url}/v1/responses`, TASK.responses_create_params);
    expect({ status, text }).toEqual({ status: 429, text: '"The model did not answer"' });
    expect(kindsOf(report)).toEqual(Array(4).fill('provider_quota_exhausted'));
    const own = report?.events.get(report.failureId ?? '');
    expect(own).toMatchObject({ failure_reason: 'The provider gave no answer in 3 attempts', http_status: 429 });
    expect(own?.foreign_error?.exception_type).toBe('RateLimitError');
  });
});

describe('express-agent, fastify-resources and collector', () => {
  it('the model’s failure is the agent’s cause, under the same ids at each server, in the row and on the terminal', async () => {
    gym.provide({ policy: 'broken' });
    const before = gym.policyTap.passed.length;
    const { good, failed, files } = await collect([TASK], { AGENT_URL: gym.agent.url });
    expect(good).toEqual([]);
    const [row = {}] = failed;
    expect(row).toMatchObject({ ...TASK, error: 'HTTP 500', _ng_task_index: 0, _ng_rollout_index: 0 });
    const saved = FailureReportRow.report(row);
    const chain = chainOf(saved);
    expect(chain.map(({ boundary, kind }) => `${boundary} ${kind}`)).toEqual([
      'agent agent_run_error',
      'model provider_unavailable',
    ]);
    const [reply] = gym.policyTap.passed.slice(before);
    expect(reply).toMatchObject({ status: 500, path: `/ng-rollout/${row._ng_rollout_id}/v1/responses` });
    expect(reply?.report?.failureId).toBe(chain[1]?.id);
    // The model's own, its three attempts, and the agent's.
    expect(idsOf(saved)).toEqual([...idsOf(reply?.report), String(chain[0]?.id)].sort());
    expect(saved.events.size).toBe(5);
    const shown = await runCommand('show', `${files}_failures.jsonl`);
    expect(shown).toMatchObject({ code: 0, err: '' });
    for (const id of saved.events.keys()) expect(shown.out).toContain(`event ${id}`);
    expect(shown.out).toMatch(/own failure {2}agent[^\n]*\n[^\n]*\n {4}caused by {2}model {2}provider_unavailable/);
  });

  it('a judge without a verdict masks the sample, with the judge’s failure in a good row', async () => {
    gym.provide({ judge: 'rejected' });
    const before = gym.judgeTap.passed.length;
    const { good, failed, files } = await collect([TASK], { AGENT_URL: gym.agent.url });
    expect(failed).toEqual([]);
    const [row = {}] = good;
    expect(row).toMatchObject({ reward: 0, mask_sample: true, _ng_failure_class: 'judge_failed' });
    const saved = FailureReportRow.report(row);
    expect(saved.failureId).toBeUndefined();
    const judge = [...saved.events.values()].find(({ failure_kind: kind }) => kind === 'judge_failed');
    const [, cause] = chainOf(saved, judge?.event_id);
    const [reply] = gym.judgeTap.passed.slice(before);
    expect(reply?.status).toBe(400);
    expect(cause).toEqual({
      boundary: 'model',
      kind: 'model_client:request_rejected',
      id: reply?.report?.failureId,
    });
    const verified = gym.resourcesTap.passed.filter(({ path }) => path.endsWith('/verify')).at(-1);
    expect(verified?.status).toBe(200);
    expect(idsOf(saved)).toEqual(idsOf(verified?.report));
    const shown = await runCommand('show', `${files}.jsonl`);
    expect(shown.out).toMatch(/ {2}observed {2}resources_server {2}judge_failed {2}stage verification/);
  });

  it('a judge whose answer cannot be read is told as such', async () => {
    gym.provide({});
    const { good } = await collect([TASK], { AGENT_URL: gym.agent.url });
    expect(good).toMatchObject([{ reward: 0, mask_sample: true, failure_reason: 'The judge gave no verdict' }]);
    expect(kindsOf(FailureReportRow.report(good[0] ?? {}))).toEqual(['judge_unparseable']);
  });

  it('a wrong answer is no failure: the row has no report', async () => {
    gym.provide({});
    const { good } = await collect([{ ...TASK, expected_answer: '42' }], { AGENT_URL: gym.agent.url });
    expect(good).toMatchObject([{ reward: 0, response: { id: 'resp-1' } }]);
    for (const key of [...FailureReportRow.KEYS, 'mask_sample']) expect(good[0]).not.toHaveProperty(key);
  });

  it('what the verifier fails with on its own is its reply’s failure', async () => {
    const { url } = gym.resourcesTap;
    const { status, report, text } = await post(`${url}/ng-rollout/r/verify`, { expected_answer: '42' });
    expect(status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ message: 'There is no text to verify in the response' });
    expect(chainOf(report)).toMatchObject([{ boundary: 'resources_server', kind: 'verifier_error' }]);
  });

  it('an agent that is not there is the collector’s own failure', async () => {
    const { failed } = await collect([TASK], { AGENT_URL: await refusingOrigin() });
    expect(chainOf(FailureReportRow.report(failed[0] ?? {}))).toMatchObject([
      { boundary: 'collection', kind: 'transport_unreachable' },
    ]);
  });
});

describe('hono-relay and collector', () => {
  const CHAT = { model: 'policy', stream: true, messages: [{ role: 'user', content: 'hi' }] };
  const AGENT_PATH = '/v1/chat/completions';

  it('a stream that breaks off ends in an event with the report, and the next relay passes it as it is', async () => {
    gym.provide({ policy: 'half-stream' });
    const before = gym.relayTap.passed.length;
    const { failed } = await collect([CHAT], { AGENT_URL: gym.secondRelay.url, AGENT_PATH });
    const [row = {}] = failed;
    const saved = FailureReportRow.report(row);
    expect(chainOf(saved)).toMatchObject([{ boundary: 'model', kind: 'transport_peer_drop' }]);
    const [passed] = gym.relayTap.passed.slice(before);
    expect(passed?.status).toBe(200);
    expect(passed?.report).toBeUndefined();
    const reader = new StreamFailureReportReader();
    reader.feedText(passed?.body() ?? '');
    expect(reader.finish()?.toJSON()).toEqual(saved.toJSON());
    expect(passed?.body()).toMatch(
      /^data: \{"id":"chat-1".*\n\n+data: \{"error":\{"message":"The model broke off its str/,
    );
  });

  it('a whole stream passes byte for byte, without a report', async () => {
    gym.provide({});
    const reply = await post(`${gym.secondRelay.url}/ng-rollout/r${AGENT_PATH}`, CHAT);
    const plain = await post(`${gym.provider.address('fine', 'plain')}/chat/completions`, CHAT);
    expect(reply).toEqual(plain);
    expect(reply).toMatchObject({ status: 200, report: undefined });
    expect(reply.text).toMatch(/data: \[DONE\]\n\n$/);
  });

  it('a model that refuses is told in the header, by each relay with the one before as its cause', async () => {
    gym.provide({ policy: 'broken' });
    const { status, report, text } = await post(`${gym.secondRelay.url}/ng-rollout/r${AGENT_PATH}`, CHAT);
    expect({ status, text }).toEqual({ status: 502, text: '"The model did not answer"' });
    const chain = chainOf(report);
    expect(chain.map(({ kind }) => kind)).toEqual(['provider_unavailable', 'provider_unavailable']);
    expect(gym.relayTap.passed.at(-1)?.report?.failureId).toBe(chain[1]?.id);
  });
});

describe('worker-pool and collector', () => {
  it('a failure in a thread is the reply’s own; a thread that does not end is replaced', async () => {
    const tasks = [{ moves: ['left'] }, { moves: ['right', 'left'] }, { moves: ['right'] }];
    const { good, failed } = await collect(tasks, { AGENT_URL: gym.pool.url });
    expect(good).toMatchObject([{ _ng_task_index: 2, reward: 1, steps: 2 }]);
    const reports = failed.map((row) => FailureReportRow.report(row));
    expect(reports.map((report) => chainOf(report))).toMatchObject([
      [{ boundary: 'environment', kind: 'corridor:bad_move' }],
      [{ boundary: 'environment', kind: 'corridor:episode_timeout' }],
    ]);
    const [bad] = reports[0]?.events.values() ?? [];
    expect(bad).toMatchObject({ stage: 'agent', operation: 'step', failure_reason: 'Step 0 of the episode failed' });
    expect(bad?.foreign_error).toEqual({ exception_type: 'RangeError', message: '"left" leads from place 0 to none' });
  });
});
