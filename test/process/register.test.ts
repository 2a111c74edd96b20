import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkReplies, checkTraced, checkUntraced } from '../support/register-checks.ts';
import { play, type Start } from '../support/register-run.ts';
import { secondCopy } from '../support/second-copy.ts';

type Way = readonly [app: Start['app'], by: Start['by']];

const NATURAL: readonly Way[] = [
  ['plain.mjs', '--import'],
  ['plain.cjs', '--require'],
  ['express.mjs', '--import'],
  ['express.cjs', '--require'],
];
const CROSSWISE: readonly Way[] = [
  ['plain.mjs', '--require'],
  ['plain.cjs', '--import'],
];

describe('alone: reports travel without any SDK', () => {
  it.each([...NATURAL, ...CROSSWISE])('%s by %s', async (app, by) => {
    const run = await play({ app, by, beside: 'alone' });
    checkReplies(run, 'storage');
    checkUntraced(run);
    expect(run.stderr).toBe('');
  });

  it('does what the environment asks for, and says what it cannot use', async () => {
    const app = { app: 'plain.cjs', by: '--require', beside: 'alone' } as const;
    const wrong = await play({ ...app, env: { OTEL_NEMO_GYM_MAX_HEADER_BYTES: 'lots' } });
    checkReplies(wrong, 'storage');
    expect(wrong.stderr.match(/MAX_HEADER_BYTES is "lots"; give an integer 16–4096\. 4096 is used/g)).toHaveLength(2);
    const short = await play({ ...app, env: { OTEL_NEMO_GYM_MAX_HEADER_BYTES: '16' } });
    expect(short.late).toMatchObject({ status: 200, reports: [[]] });
    const off = await play({ ...app, env: { OTEL_NEMO_GYM_DISABLED: 'true' } });
    expect(off.late).toEqual({ status: 200, reports: [], body: { handler: 'none', data: 'none', end: 'none' } });
    expect(off.call).toMatchObject({ status: 502, reports: [] });
  });
});

describe.each(['own SDK first', 'own SDK second'] as const)('%s', (beside) => {
  it.each(NATURAL)('%s by %s: the mirror works, and the log is in the context', async (app, by) => {
    const run = await play({ app, by, beside });
    checkReplies(run, 'context');
    checkTraced(run);
    expect(run.stderr).toBe('');
  });

  it.each(NATURAL.slice(0, 2))('%s by %s: an instrumentation in the app’s list takes over', async (app, by) => {
    const run = await play({ app, by, beside, env: { OURS: 'too' } });
    checkReplies(run, 'context');
    checkTraced(run);
    const marks = run.spans.flatMap(({ events }) => events.map(({ attributes }) => attributes['of.the.app']));
    expect(marks.length).toBeGreaterThan(0);
    expect(new Set(marks)).toEqual(new Set([true]));
  });

  it('named by --require and by --import it acts once, beside the loader hook of the SDK’s file', async () => {
    const env = { NODE_OPTIONS: '--require opentelemetry-instrumentation-nemo-gym/register' };
    const run = await play({ app: 'plain.mjs', by: '--import', beside, env });
    checkReplies(run, 'context');
    checkTraced(run);
    expect(run.stderr).toBe('');
  });

  it('with the SDK disabled the replies are the same', async () => {
    const run = await play({ app: 'plain.cjs', by: '--require', beside, env: { OTEL_SDK_DISABLED: 'true' } });
    checkReplies(run, 'storage');
    checkUntraced(run);
  });
});

/** Makes a copy of a package the next release of itself, wherever its code says its version. */
function renumber(folder: string): number {
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const next = String(version).replace(/\d+$/, (patch) => String(Number(patch) + 1));
  let changed = 0;
  for (const name of readdirSync(folder, { encoding: 'utf8', recursive: true })) {
    if (!/\.[cm]?js$/.test(name)) continue;
    const text = readFileSync(`${folder}/${name}`, 'utf8');
    const other = text.replaceAll(`'${version}'`, `'${next}'`).replaceAll(`"${version}"`, `"${next}"`);
    if (other === text) continue;
    writeFileSync(`${folder}/${name}`, other);
    changed += 1;
  }
  return changed;
}

// The API takes a registration from a copy of the same release only.
describe('installed beside another release of the API', () => {
  let folder = '';
  beforeAll(() => {
    folder = secondCopy();
    const api = `${folder}/node_modules/@opentelemetry/api`;
    mkdirSync(api, { recursive: true });
    cpSync('node_modules/@opentelemetry/api', api, { recursive: true });
    expect(renumber(api)).toBeGreaterThan(0);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['own SDK first', 'own SDK second'] as const)(
    '%s: the trace goes on, and the log is in the context',
    async (beside) => {
      const run = await play({ app: 'plain.cjs', by: '--require', beside, register: `./${folder}/dist/register.cjs` });
      checkReplies(run, 'context');
      checkTraced(run);
    },
  );

  it('of two copies of the package that are named one acts', async () => {
    const env = { NODE_OPTIONS: `--require ./${folder}/dist/register.cjs`, OTEL_NEMO_GYM_MAX_HEADER_BYTES: 'lots' };
    const run = await play({ app: 'plain.cjs', by: '--import', beside: 'own SDK second', env });
    checkReplies(run, 'context');
    checkTraced(run);
    // In each of the two processes.
    expect(run.stderr.match(/MAX_HEADER_BYTES is "lots"/g)).toHaveLength(2);
  });
});
