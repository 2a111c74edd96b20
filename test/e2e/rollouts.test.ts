import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Batch, ngFailures, playBatch } from './support/batch.ts';
import { eventsIn, type FoundEvent, searchEach, servicesIn, tagOf, tracesWith } from './support/jaeger-search.ts';
import { type Collector, type Jaeger, startCollector, startJaeger } from './support/peers.ts';

/** Who may be the first to see a failure of a boundary. */
const OBSERVERS: Readonly<Record<string, readonly string[]>> = {
  model: ['model', 'agent', 'resources'],
  harness: ['agent'],
  agent: ['agent'],
  resources_server: ['resources'],
  environment: ['resources', 'agent'],
  collection: ['collector'],
};

let folder: string;
let jaeger: Jaeger;
let collector: Collector;
let batch: Batch;
let found: Map<string, FoundEvent[]>;

beforeAll(async () => {
  jaeger = await startJaeger();
  // Of its own: the Collector adds to a file that is there.
  folder = mkdtempSync(path.join(tmpdir(), 'rollouts-'));
  collector = await startCollector(jaeger, folder);
  batch = await playBatch({ jaeger, collector });
  found = await searchEach(jaeger.url, batch);
});

afterAll(async () => {
  await Promise.all([collector?.program.stop(), jaeger?.program.stop()]);
  for (const made of [folder, batch?.folder]) if (made !== undefined) rmSync(made, { recursive: true, force: true });
});

describe('the main job, with a Collector and Jaeger', () => {
  it('reconciles its rows through Jaeger, and ends well', () => {
    expect(batch.outcome).toContain('Each row is as its story tells');
    expect(batch.outcome).toContain('all ids on both sides');
    expect(batch.stderr).toBe('');
    expect(batch.code).toBe(0);
    expect(batch.events.size).toBeGreaterThan(80);
  });

  it('leaves only the services of the example in Jaeger', async () => {
    expect(await servicesIn(jaeger.url)).toEqual(['agent', 'collector', 'model', 'resources']);
  });

  it('every id in the rows is found by searching Jaeger for it', () => {
    const missing = [...found].filter(([, events]) => events.length === 0).map(([id]) => id);
    expect(missing).toEqual([]);
    expect(found.size).toBe(batch.events.size);
  });

  it('first in the right service, and everywhere as the row tells it', () => {
    for (const [id, event] of batch.events) {
      const sightings = found.get(id) ?? [];
      const first = sightings.filter(({ origin }) => origin !== 'forwarded').map(({ service }) => service);
      expect(first.length, `${event.boundary} ${id}`).toBeGreaterThan(0);
      expect(OBSERVERS[event.boundary], `${event.boundary} ${event.kind}`).toEqual(expect.arrayContaining(first));
      for (const { boundary, kind, causeId } of sightings) {
        expect({ boundary, kind, causeId }).toEqual({
          boundary: event.boundary,
          kind: event.kind,
          causeId: event.causeId,
        });
      }
    }
  });

  it('each cause link leads to an event of the same trace', () => {
    let links = 0;
    for (const [id, { causeId }] of batch.events) {
      if (causeId === undefined) continue;
      links += 1;
      const traces = new Set(found.get(id)?.map(({ traceId }) => traceId));
      expect(new Set(found.get(causeId)?.map(({ traceId }) => traceId))).toEqual(traces);
    }
    expect(links).toBeGreaterThan(30);
  });

  it('each rollout is one trace, found by its id in whatever service took part', async () => {
    const ids = [...new Set(batch.rows.map(({ rolloutId }) => rolloutId))];
    expect(ids.length).toBe(50);
    const all = new Set<string>();
    for (const rolloutId of ids) {
      const inAgent = await tracesWith(jaeger.url, 'agent', { 'nemo.gym.rollout.id': rolloutId });
      const inCollector = await tracesWith(jaeger.url, 'collector', { 'nemo.gym.rollout.id': rolloutId });
      const traceIds = new Set([...inAgent, ...inCollector].map(({ traceID }) => traceID));
      expect(traceIds.size, rolloutId).toBe(1);
      for (const traceId of traceIds) all.add(traceId);
      const eventIds = batch.rows.filter((row) => row.rolloutId === rolloutId).flatMap((row) => row.eventIds);
      for (const id of eventIds) expect(new Set(found.get(id)?.map(({ traceId }) => traceId))).toEqual(traceIds);
    }
    expect(all.size).toBe(50);
  });
});

describe('what a person sees who opens a rollout', () => {
  it('the root says whether it failed, and by what; a recovered one is no error', async () => {
    for (const row of batch.rows.filter(({ story }) => story !== 'attempt_recovers')) {
      const [trace] = await tracesWith(jaeger.url, 'collector', { 'nemo.gym.rollout.id': row.rolloutId });
      const root = trace?.spans.find(({ references }) => references.length === 0);
      const failed = row.failureId !== undefined;
      expect(tagOf(root?.tags ?? [], 'error'), row.story).toBe(failed ? 'true' : undefined);
      if (row.story === 'cohort_incomplete') continue;
      expect(tagOf(root?.tags ?? [], 'nemo.gym.failure.id'), row.story).toBe(row.failureId);
    }
  });

  it('causes stand before what they caused, on every span', async () => {
    let pairs = 0;
    for (const rolloutId of new Set(batch.rows.map((row) => row.rolloutId))) {
      const [trace] = await tracesWith(jaeger.url, 'collector', { 'nemo.gym.rollout.id': rolloutId });
      if (trace === undefined) throw new Error(`no trace of ${rolloutId}`);
      for (const span of trace.spans) {
        const order = eventsIn({ ...trace, spans: [span] }).map(({ eventId }) => eventId);
        for (const { eventId, causeId } of eventsIn({ ...trace, spans: [span] })) {
          if (causeId === undefined || !order.includes(causeId)) continue;
          pairs += 1;
          expect(order.indexOf(causeId)).toBeLessThan(order.indexOf(eventId));
        }
      }
    }
    expect(pairs).toBeGreaterThan(50);
  });

  it('span names say what was asked, without ids', async () => {
    const names = new Set<string>();
    for (const service of ['agent', 'model', 'resources']) {
      const { rolloutId = '' } = batch.rows.find(({ story }) => story === 'verification_fails') ?? {};
      const traces = await tracesWith(jaeger.url, service, { 'nemo.gym.rollout.id': rolloutId });
      for (const span of traces.flatMap(({ spans }) => spans)) names.add(span.operationName);
    }
    expect([...names]).toEqual(expect.arrayContaining(['POST /run', 'POST /verify', 'POST /v1/responses']));
    for (const name of names) expect(name).not.toMatch(/[0-9a-f]{8}/);
  });
});

describe('ng-failures beside a real Jaeger', () => {
  it('trace prints the address of each failed row’s trace', async () => {
    const { code, stdout } = await ngFailures(['trace', ...batch.rowFiles, '--jaeger', jaeger.url]);
    expect(code).toBe(0);
    for (const { rolloutId, failureId } of batch.rows) {
      if (failureId === undefined) continue;
      const line = stdout.split('\n').find((text) => text.includes(rolloutId) && text.includes(failureId));
      const traceId = found.get(failureId)?.[0]?.traceId;
      expect(line).toContain(`${jaeger.url}/trace/${traceId}?uiFind=${failureId}`);
    }
  });

  it('reconcile finds the same in the Collector’s file', async () => {
    const { code, stdout } = await ngFailures(['reconcile', ...batch.rowFiles, '--traces', collector.tracesFile]);
    expect(stdout).toContain('all ids on both sides');
    expect(code).toBe(0);
  });
});
