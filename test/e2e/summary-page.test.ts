import { createWriteStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentFailure, attempt, eventId, jsonl, reportOf, row } from '../support/rows.ts';
import { ngFailures, playBatch } from './support/batch.ts';
import { type OpenPage, openFile, startChromium } from './support/chromium.ts';
import { startCollector, startJaeger } from './support/peers.ts';

let browser: Browser;
const folder = mkdtempSync(path.join(tmpdir(), 'summary-'));

beforeAll(async () => {
  browser = await startChromium();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function pageOf(rows: readonly string[], ...args: string[]): Promise<string> {
  const html = path.join(folder, `${path.basename(rows[0] ?? '')}.html`);
  const { code, stderr } = await ngFailures(['summary', ...rows, '--html', html, ...args]);
  expect(stderr).toMatch(/\.html: written, \d+ kB\n$/);
  expect(code).toBe(0);
  return html;
}

function fileOf(name: string, rows: readonly unknown[]): string {
  const file = path.join(folder, `${name}.jsonl`);
  writeFileSync(file, jsonl(rows));
  return file;
}

/** The kinds in the table's order. */
async function kindsIn({ page }: OpenPage): Promise<string[]> {
  return page.locator('#kinds tbody tr td:nth-child(2)').allTextContents();
}

function expectQuiet({ requests, complaints }: OpenPage): void {
  expect(requests).toEqual([]);
  expect(complaints).toEqual([]);
}

const RECOVERED = reportOf([attempt('r', { failure_kind: 'provider_unavailable' })]);
const VERIFICATION = attempt('v', {
  boundary: 'resources_server',
  failure_kind: 'judge_failed',
  stage: 'verification',
});
const FAILED = reportOf([attempt('a'), agentFailure('b', 'a'), VERIFICATION], { failure_id: 'b' });
const SOME = [row(0, FAILED), row(1, FAILED), row(2, RECOVERED), row(3), row(4, { omitted: true })];

describe('the page of a summary', () => {
  let open: OpenPage;

  beforeAll(async () => {
    open = await openFile(browser, await pageOf([fileOf('some', SOME)]));
  });

  it('opens from the file system, with its counts and its chart, and asks for nothing', async () => {
    const { page } = open;
    expect(await page.title()).toBe('Failures in rollouts');
    const counts = await page.locator('.counts div').allTextContents();
    expect(counts).toEqual(expect.arrayContaining(['Rows5', 'Failed2', 'Failure events7', 'Fatal4']));
    const drawn = await page.evaluate(
      `(() => { const c = document.querySelector('#chart'); return new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size; })()`,
    );
    expect(drawn).toBeGreaterThan(20);
    expectQuiet(open);
  });

  it('filters by words, boundary and outcome, and shows all again', async () => {
    const { page } = open;
    await page.getByLabel('Names with').fill('judge VERIFICATION');
    expect(await kindsIn(open)).toEqual(['judge_failed']);
    expect(await page.locator('#status').textContent()).toBe('Shown: 1 of 4 kinds, 1 of 3 chains.');
    expect(await page.locator('#chains details:visible').count()).toBe(1);
    await page.getByLabel('Names with').fill('');
    await page.locator('#boundary').selectOption('agent');
    expect(await kindsIn(open)).toEqual(['agent_run_error']);
    await page.locator('#boundary').selectOption('');
    await page.locator('#outcome').selectOption('recovered');
    expect(await kindsIn(open)).toEqual(['provider_unavailable']);
    expect(await page.locator('#chart').getAttribute('aria-label')).toContain('provider_unavailable 1');
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('Shown: 4 of 4 kinds, 3 of 3 chains.').waitFor();
    expectQuiet(open);
  });

  it('sorts by the head of each column, also from the keyboard', async () => {
    const { page } = open;
    const byName = ['agent_run_error', 'judge_failed', 'provider_unavailable', 'transport_timeout'];
    await page.getByRole('button', { name: 'Kind' }).click();
    expect(await kindsIn(open)).toEqual(byName);
    await page.keyboard.press('Enter');
    expect(await kindsIn(open)).toEqual([...byName].reverse());
    expect(await page.locator('th[aria-sort=descending]').textContent()).toBe('Kind');
    await page.getByRole('button', { name: 'Recovered' }).click();
    expect((await kindsIn(open))[0]).toBe('provider_unavailable');
  });

  it('unfolds each chain from the keyboard', async () => {
    const { page } = open;
    const summary = page.locator('summary', { hasText: 'agent/agent_run_error ← model/transport_timeout' });
    const reason = page.getByText('upstream timed out').first();
    await expect(summary.textContent()).resolves.toContain('2 × agent/agent_run_error');
    await summary.focus();
    await page.keyboard.press('Enter');
    const details = page.locator('details[open]');
    expect(await details.count()).toBe(1);
    const text = await details.textContent();
    expect(text).toContain('the agent could not finish its turn');
    expect(text).toContain('foreign error APIConnectionTimeoutError: Request timed out.');
    expect(text).toMatch(/some\.jsonl:1 rollout rollout-00000000/);
    expect(await reason.isVisible()).toBe(true);
    expect(await page.locator('a').count()).toBe(0);
  });

  it('follows light and dark, and prints on white without its fields', async () => {
    const { page } = open;
    const paper = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await paper()).toBe('rgb(20, 23, 28)');
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    expect(await paper()).toBe('rgb(255, 255, 255)');
    expect(await page.locator('form').isVisible()).toBe(false);
    expectQuiet(open);
  });

  it('runs no program but its own', async () => {
    const { page } = open;
    await page.evaluate(
      `(() => { const s = document.createElement('script'); s.textContent = 'window.ran = true'; document.body.append(s); })()`,
    );
    expect(await page.evaluate('window.ran')).toBeUndefined();
  });
});

it('says so when nothing failed', async () => {
  const open = await openFile(browser, await pageOf([fileOf('none', [row(0), row(1)])]));
  expect(await open.page.locator('#empty').textContent()).toBe('No failures: none of 2 rows tells of one.');
  expectQuiet(open);
});

it('shows hostile rows as text', async () => {
  const evil = [
    '</script><script>window.ran = true</script>',
    '<img src=x onerror="window.ran = true">',
    'javascript:window.ran=true',
    '<!--<script>',
    '\u202ereversed\u0007\u001b[31m',
  ];
  const rows = evil.map((text, index) => {
    const event = attempt('__proto__', {
      failure_reason: text,
      operation: text,
      failure_kind: `evil:k${index}`,
      foreign_error: { exception_type: text, message: text },
    });
    const plain = row(index, {}, { _ng_rollout_id: `${text}\ud800` });
    return `${JSON.stringify(plain).slice(0, -1)},"_ng_failure_events":{"__proto__":${JSON.stringify(event)}}}\n`;
  });
  const huge = attempt('x'.repeat(1e6), { failure_reason: '<b>'.repeat(350_000) });
  const file = path.join(folder, 'hostile.jsonl');
  writeFileSync(file, rows.join('') + jsonl([row(9, reportOf([huge]), { _ng_rollout_id: 'i'.repeat(1e6) })]));
  const html = await pageOf([file]);
  expect(statSync(html).size).toBeLessThan(300_000);
  const open = await openFile(browser, html);
  const { page } = open;
  for (const summary of await page.locator('summary').all()) await summary.click();
  const text = await page.locator('main').textContent();
  for (const shown of evil.slice(0, 4)) expect(text).toContain(shown);
  expect(text).toContain('\\u{202e}reversed\\u{7}\\u{1b}[31m');
  expect(text).toContain('\\u{d800}');
  expect(await page.locator('img, a, b:has(b)').count()).toBe(0);
  expect(await page.locator('script').count()).toBe(2);
  expect(await page.evaluate('window.ran')).toBeUndefined();
  expectQuiet(open);
});

it('opens in a few seconds for 100,000 rows', async () => {
  const kinds = ['transport_timeout', 'transport_peer_drop', 'provider_unavailable', 'provider_quota_exhausted'];
  function* lines(): Generator<string> {
    for (let index = 0; index < 100_000; index += 1) {
      const kind = index % 50 === 0 ? `server_${index % 1000}:kind_${index}` : (kinds[index % 4] ?? '');
      const first = attempt(eventId(index, 0), { failure_kind: kind });
      const own = agentFailure(eventId(index, 1), first.event_id);
      const report = index % 3 > 0 ? {} : reportOf([first, own], index % 2 > 0 ? {} : { failure_id: own.event_id });
      yield `${JSON.stringify(row(index, report))}\n`;
    }
  }
  const file = path.join(folder, 'many.jsonl');
  await pipeline(Readable.from(lines()), createWriteStream(file));
  const html = await pageOf([file]);
  expect(statSync(html).size).toBeLessThan(2e6);
  const start = performance.now();
  const open = await openFile(browser, html);
  await open.page.getByText('of 200 chains').waitFor();
  expect(performance.now() - start).toBeLessThan(5_000);
  await open.page.getByLabel('Names with').fill('peer_drop');
  expect(await kindsIn(open)).toEqual(['transport_peer_drop']);
  expectQuiet(open);
});

it('links each id to its trace in Jaeger, and counts those that Jaeger does not have', async () => {
  const jaeger = await startJaeger();
  const collector = await startCollector(jaeger, folder);
  try {
    const batch = await playBatch({ jaeger, collector });
    const stranger = fileOf('stranger', [
      row(7, reportOf([attempt('f'.repeat(32), { failure_kind: 'other:stranger' })])),
    ]);
    const html = await pageOf([...batch.rowFiles, stranger], '--jaeger', jaeger.url, '--since', '1h');
    const open = await openFile(browser, html);
    const links = await open.page.locator('#chains a').evaluateAll((all) => all.map((a) => [a.textContent, String(a)]));
    expect(links.length).toBeGreaterThan(20);
    const ids = new Set([...batch.rows.map(({ rolloutId }) => rolloutId), ...batch.events.keys()]);
    for (const [id = '', url = ''] of links) {
      expect(ids).toContain(id);
      expect(url.startsWith(`${jaeger.url}/trace/`)).toBe(true);
      const trace = await fetch(url.replace('/trace/', '/api/traces/'));
      expect(await trace.text(), url).toContain(id);
    }
    expect(await open.page.locator('#jaeger').textContent()).toContain('; 2 it does not have');
    expect(await open.page.locator('a', { hasText: 'f'.repeat(32) }).count()).toBe(0);
    expectQuiet(open);
    rmSync(batch.folder, { recursive: true, force: true });
  } finally {
    await Promise.all([collector.program.stop(), jaeger.program.stop()]);
  }
});
