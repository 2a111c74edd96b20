import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { type Batch, ngFailures, playBatch } from './support/batch.ts';
import { searchEach } from './support/jaeger-search.ts';
import { type Collector, type Jaeger, startCollector, startJaeger } from './support/peers.ts';

const ARGS = ['--rollouts', '100', '--concurrency', '4'];
const running: (Jaeger | Collector)[] = [];

function folder(): string {
  return mkdtempSync(path.join(tmpdir(), 'outage-'));
}

async function peers(env: Record<string, string> = {}): Promise<{ jaeger: Jaeger; collector: Collector }> {
  // On the disk, so that a Jaeger that comes back has what it had.
  const jaeger = await startJaeger({ JAEGER_DATA: folder() }, 'examples/scale/jaeger-badger.yaml');
  const collector = await startCollector(jaeger, folder(), env);
  running.push(collector, jaeger);
  return { jaeger, collector };
}

afterEach(async () => {
  await Promise.all(running.splice(0).map(({ program }) => program.stop()));
});

/** Ids of the rows that no search finds. */
async function missingIn(jaeger: Jaeger, batch: Batch): Promise<string[]> {
  const found = await searchEach(jaeger.url, batch);
  return [...found].filter(([, events]) => events.length === 0).map(([id]) => id);
}

it('Jaeger is killed and away for a while: the Collector waits, and nothing is lost', async () => {
  const { jaeger, collector } = await peers();
  const act = async (): Promise<void> => {
    await jaeger.program.stop('SIGKILL');
    await delay(5_000);
    await jaeger.program.start();
  };
  const args = ['--rollouts', '200', '--concurrency', '4'];
  const batch = await playBatch({ jaeger, collector, args, midway: { after: 30, act } });
  expect(batch.outcome).toContain('Each row is as its story tells');
  expect(batch.outcome).toContain('all ids on both sides');
  expect(batch.code).toBe(0);
  expect(await missingIn(jaeger, batch)).toEqual([]);
});

it('the Collector is restarted in the middle: it decides about what it has, the servers send again, and nothing is lost', async () => {
  const { jaeger, collector } = await peers();
  const act = async (): Promise<void> => {
    await collector.program.stop('SIGTERM');
    await delay(1_000);
    await collector.program.start();
  };
  const batch = await playBatch({ jaeger, collector, args: ARGS, midway: { after: 40, act } });
  expect(batch.outcome).toContain('Each row is as its story tells');
  expect(await missingIn(jaeger, batch)).toEqual([]);
  expect(batch.outcome).toContain('all ids on both sides');
  expect(batch.code).toBe(0);
});

it('both are killed: rows are whole, and reconcile names exactly what the traces lost', async () => {
  const { jaeger, collector } = await peers();
  const act = async (): Promise<void> => {
    await jaeger.program.stop('SIGKILL');
    // What comes now waits in the Collector's memory, and dies with it.
    await delay(2_000);
    await collector.program.stop('SIGKILL');
    await Promise.all([collector.program.start(), jaeger.program.start()]);
  };
  const batch = await playBatch({ jaeger, collector, args: ARGS, midway: { after: 60, act } });
  expect(batch.outcome).toContain('Each row is as its story tells');
  const missing = await missingIn(jaeger, batch);
  expect(missing.length).toBeGreaterThan(0);
  expect(batch.code).toBe(1);

  const { code, stdout } = await ngFailures([
    'reconcile',
    ...batch.rowFiles,
    '--jaeger',
    jaeger.url,
    '--since',
    '1h',
    '--json',
  ]);
  const findings: readonly { finding: string; eventId: string }[] = JSON.parse(stdout).findings;
  const named = findings.filter(({ finding }) => finding === 'missing_in_traces').map(({ eventId }) => eventId);
  expect([...new Set(named)].sort()).toEqual(missing.sort());
  expect(code).toBe(1);
});
