import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { agentFailure, attempt, jsonl, reportOf, row } from '../support/rows.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/ng-failures.js', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'ng-failures-summary-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const FAILED = reportOf([attempt('a'), agentFailure('b', 'a')], { failure_id: 'b' });
writeFileSync(join(dir, 'rows.jsonl'), jsonl([row(0, FAILED), row(1, reportOf([attempt('c')])), row(2)]));

async function run(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, 'summary', ...args], { cwd: dir }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, out, err });
    });
  });
}

describe('summary', () => {
  it('prints what failed, as text and as JSON', async () => {
    const text = await run('rows.jsonl');
    expect(text).toMatchObject({ code: 0, err: '' });
    expect(text.out).toMatch(/^3 rows: 1 failed, 1 recovered, 1 without failures\n/);
    expect(text.out).toContain('\n  agent/agent_run_error ← model/transport_timeout\n      1 fatal\n');
    const { out } = await run('rows.jsonl', '--json');
    expect(JSON.parse(out)).toMatchObject({ files: ['rows.jsonl'], events: { fatal: 2, recovered: 1, total: 3 } });
  });

  it('ends with 1 when a line cannot be read, and says how many', async () => {
    writeFileSync(join(dir, 'torn.jsonl'), `${jsonl([row(0)])}{"cut`);
    const { code, out, err } = await run('torn.jsonl');
    expect(code).toBe(1);
    expect(out).toContain(', 1 line could not be read\n');
    expect(err).toContain('torn.jsonl:2: cut off');
  });

  it('writes the page whole, over an older one too, with its licences and without paths of the build', async () => {
    for (let time = 0; time < 2; time += 1) {
      expect(await run('rows.jsonl', '--html', 'page.html')).toMatchObject({ code: 0 });
    }
    const html = readFileSync(join(dir, 'page.html'), 'utf8');
    expect(html.startsWith('<!doctype html>')).toBe(true);
    expect(html).toContain('(c) 2014-2024 Chart.js Contributors');
    expect(html).toContain('Jukka Kurkela');
    expect(html).not.toContain('node_modules');
    expect(html).not.toContain(fileURLToPath(new URL('../..', import.meta.url)));
    expect(readdirSync(dir).filter((name) => name.includes('page.html'))).toEqual(['page.html']);
  });

  it('writes over no file of rows', async () => {
    const { size } = statSync(join(dir, 'rows.jsonl'));
    const { code, err } = await run('rows.jsonl', '--html', './rows.jsonl');
    expect(code).toBe(2);
    expect(err).toContain('is a file of rows; name another file for the page');
    expect(statSync(join(dir, 'rows.jsonl')).size).toBe(size);
  });

  it('says so when there is no such folder, before it reads anything', async () => {
    const { code, out, err } = await run('rows.jsonl', '--html', 'nowhere/page.html');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('--html nowhere/page.html: there is no folder');
  });

  it.each([
    ['rows.jsonl/page.html', 'there is no folder'],
    // Longer than a file system takes, with what the passing name has behind it.
    [`${'n'.repeat(254)}`, 'cannot be written'],
  ])('says so when the page cannot be written there: %.20s', async (name, reason) => {
    const { code, err } = await run('rows.jsonl', '--html', join(dir, name));
    expect(code).toBe(2);
    expect(err).toContain(reason);
    expect(err).not.toContain('internal error');
  });
});
