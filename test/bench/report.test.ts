import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failures, type Run, type RunFacts, runOf } from '../../bench/report/results.ts';
import { type BenchRow, goalOf, ROWS } from '../../bench/report/rows.ts';
import { markdownTable, textTable } from '../../bench/report/table.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ROW = { bench: 'codec', against: 'a baseline', unit: '×' } as const;
const LESS: BenchRow = { ...ROW, id: 'less', what: 'less is better', better: 'lower', goal: 1.5 };
const MORE: BenchRow = { ...ROW, id: 'more', what: 'more is better', better: 'higher', goal: 0.8 };

function run(rows: readonly BenchRow[], values: Record<string, readonly number[]>, more: Partial<RunFacts> = {}): Run {
  const benches = [...new Set(rows.map(({ bench }) => bench))];
  const facts = {
    node: '20.20.2',
    cpu: 'a processor',
    cores: 2,
    date: '2026-01-02T03:04:05.000Z',
    guard: true,
    benches,
  };
  return runOf({ ...facts, ...more }, rows, new Map(Object.entries(values)));
}

const failing = (of: Run): readonly string[] => failures(of).map(({ id }) => id);

describe('the short run', () => {
  it('fails at a figure past twice its goal, and at one below half of it where more is better', () => {
    expect(failing(run([LESS, MORE], { less: [3.01], more: [0.39] }))).toEqual(['less', 'more']);
  });

  it('lets a goal be missed by no more than noise', () => {
    const within = { less: [2.99], more: [0.41] };
    expect(failing(run([LESS, MORE], within))).toEqual([]);
    expect(failing(run([LESS, MORE], within, { guard: false }))).toEqual(['less', 'more']);
  });

  it('looks at the median, so that one disturbed round fails nothing', () => {
    expect(failing(run([LESS], { less: [1, 1, 50] }))).toEqual([]);
    expect(failing(run([LESS], { less: [1, 50, 50] }))).toEqual(['less']);
  });

  it('takes a row’s own limit where it has one', () => {
    const row = { ...LESS, goal: 1.04, guard: 1.3 };
    expect(failing(run([row], { less: [1.29] }))).toEqual([]);
    expect(failing(run([row], { less: [1.31] }))).toEqual(['less']);
  });
});

describe('any run', () => {
  it.each([true, false])('fails at a row that was to be measured and was not (guard: %s)', (guard) => {
    expect(failing(run([LESS, MORE], { less: [1] }, { guard }))).toEqual(['more']);
    expect(failing(run([LESS, MORE], { less: [1], more: [Number.NaN] }, { guard }))).toEqual(['more']);
    expect(failing(run([LESS, MORE], { less: [1] }, { guard, benches: [] }))).toEqual([]);
  });

  it('has each row once, with its goal on that Node, in the order in which they are declared', () => {
    for (const node of ['20.20.2', '24.22.3']) {
      const { rows } = run(ROWS, {}, { node });
      expect(rows.map(({ id }) => id)).toEqual(ROWS.map(({ id }) => id));
      expect(rows.map(({ goal }) => goal ?? undefined)).toEqual(
        ROWS.map((row) => goalOf(row, Number.parseInt(node, 10))),
      );
    }
    expect(new Set(ROWS.map(({ id }) => id)).size).toBe(ROWS.length);
    const beside = ROWS.find(({ id }) => id === 'server.beside-http');
    expect(beside && [goalOf(beside, 20), goalOf(beside, 22), goalOf(beside, 24)]).toEqual([1.08, 1.04, 1.04]);
  });

  it('prints all rows as one table, each with its median, its range, its goal and whether it is met', () => {
    const table = textTable(run([LESS, MORE], { less: [1, 2, 1.25], more: [0.1] }, { guard: false }));
    expect(table).toMatch(/less is better +a baseline +1\.25 × +1\.00–2\.00 +≤ 1\.5 × +met\n/);
    expect(table).toMatch(/more is better +a baseline +0\.10 × +0\.10–0\.10 +≥ 0\.8 × +slipped\n/);
  });

  it('stands beside one of another Node in a table for the docs, missed goals in bold', () => {
    const two = [run([LESS], { less: [1] }), run([LESS], { less: [1.6] }, { node: '24.22.3' })];
    expect(markdownTable(two)).toContain(
      '| what | against | Node 20.20.2 | goal | Node 24.22.3 | goal |\n| --- | --- | --- | --- | --- | --- |\n' +
        '| less is better | a baseline | 1.00 × (1.00–1.00) | ≤ 1.5 × | **1.60 × (1.60–1.60)** | ≤ 1.5 × |\n',
    );
    expect(() => markdownTable([run([LESS], {}), run([MORE], {})])).toThrow(/different rows/);
  });
});

describe('npm run bench', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bench-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function bench(...args: string[]): { status: number | null; stdout: string; stderr: string } {
    return spawnSync(process.execPath, ['scripts/bench.mjs', ...args], { cwd: ROOT, encoding: 'utf8' });
  }

  it('saves all rows, those of the benches that did not run too, with what they were measured on', () => {
    const file = join(folder, 'codec.json');
    const { status, stdout, stderr } = bench('--guard', '--out', file, 'codec');
    expect(stderr).toMatch(/codec: done/);
    expect(status).toBe(0);
    const saved: Run = JSON.parse(readFileSync(file, 'utf8'));
    expect(saved.rows.map(({ id }) => id)).toEqual(ROWS.map(({ id }) => id));
    expect(saved).toMatchObject({ node: process.versions.node, guard: true, benches: ['codec'] });
    expect(Date.now() - Date.parse(saved.date)).toBeLessThan(60_000);
    const measured = saved.rows.filter(({ bench: name }) => name === 'codec');
    expect(measured.map(({ verdict }) => verdict)).not.toContain('not measured');
    expect(Math.min(...measured.map(({ rounds }) => rounds))).toBeGreaterThan(4);
    expect(stdout).toBe(textTable(saved));
    expect(bench('--markdown', file).stdout).toBe(markdownTable([saved]));
  });

  it('has a bench for each row, and rows for each bench', () => {
    const files = readdirSync(join(ROOT, 'bench')).filter((name) => name.endsWith('.bench.ts'));
    expect(files.sort()).toEqual([...new Set(ROWS.map(({ bench: name }) => `${name}.bench.ts`))].sort());
  });

  it('says so when a bench is unknown', () => {
    expect(bench('codecs')).toMatchObject({ status: 2, stderr: expect.stringContaining('there are server, memory') });
  });

  it('fails when a bench breaks, also at its very end', () => {
    const broken = join(folder, 'broken.cjs');
    writeFileSync(
      broken,
      `if (/bench\\.ts$/.test(process.argv[1] ?? '')) process.on('exit', () => { process.exitCode = 7; });`,
    );
    const { status, stderr } = spawnSync(
      process.execPath,
      ['scripts/bench.mjs', '--guard', '--out', join(folder, 'b.json'), 'codec'],
      {
        cwd: ROOT,
        encoding: 'utf8',
        env: { ...process.env, NODE_OPTIONS: `--require ${broken}` },
      },
    );
    expect(stderr).toContain('broken: codec');
    expect(status).toBe(1);
  });
});

describe('docs/performance.md', () => {
  it('shows each row with the goals that are declared, for Node 20 and for Node 24', () => {
    const text = readFileSync(join(ROOT, 'docs/performance.md'), 'utf8');
    const shown = /<!-- figures -->\n(.*)<!-- \/figures -->/s.exec(text)?.[1] ?? '';
    const cellsOf = (table: string): (string | undefined)[][] =>
      table
        .split('\n')
        .filter((line) => line.startsWith('| '))
        .slice(2)
        .map((line) => line.split('|').map((cell) => cell.trim()))
        .map(([, what, against, , goal20, , goal24]) => [what, against, goal20, goal24]);
    const declared = markdownTable([run(ROWS, {}), run(ROWS, {}, { node: '24.22.3' })]);
    expect(cellsOf(shown)).toEqual(cellsOf(declared));
    expect(shown).not.toContain('not measured');
  });
});
