import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { node, type Ran, ROOT } from './packed.ts';

const SCRIPT = join(ROOT, 'scripts', 'public-api.mjs');
const check = (root: string): Promise<Ran> => node([SCRIPT, '--check', '--root', root], ROOT);

describe('the public surface', () => {
  it('is what the CHANGELOG tells: what differs from the record has a line in its first section', async () => {
    expect(await check(ROOT)).toEqual({ code: 0, said: '' });
  });
});

describe('a change of the public surface', () => {
  let copy: string;

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'ng-api-'));
    for (const part of ['package.json', 'dist', 'docs', 'src', 'test/package/public-api.txt', 'CHANGELOG.md'])
      cpSync(join(ROOT, part), join(copy, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    // What the CHANGELOG says meanwhile of other changes is another test's.
    writeFileSync(join(copy, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n\n### Added\n- `observeFailure`\n');
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  function edit(path: string, from: string | RegExp, to: string): void {
    const before = readFileSync(join(copy, path), 'utf8');
    const after = before.replace(from, to);
    expect(after, `${path} has ${from}`).not.toBe(before);
    writeFileSync(join(copy, path), after);
  }

  it('is seen in names, signatures, attributes, metrics, variables, the wire, options and what is asked for', async () => {
    await node([SCRIPT, '--root', copy], ROOT);
    edit('dist/index.d.ts', 'declare function observeFailure(', 'declare function observeFailure(more: boolean, ');
    edit('dist/index.d.ts', /\bexplicitCauses, /, 'explicitCauses as causesOf, ');
    edit('dist/koa.d.ts', 'readonly body: unknown', 'readonly body: string');
    edit('docs/telemetry.md', '| `nemo.gym.failure.cause_id` |', '| `nemo.gym.failure.caused_by` |');
    edit('docs/telemetry.md', '| `nemo.gym.failures` | metric | counter', '| `nemo.gym.failures` | metric | gauge');
    edit('src/instrumentation/environment.ts', /MAX_HEADER_BYTES`/, 'HEADER_LIMIT`');
    edit('src/records/wire.ts', "'_ng_failure_id'", "'_ng_own_failure'");
    edit('dist/ng-failures.js', 'sampled: { help', 'thinned: { help');
    edit('package.json', '"@opentelemetry/api": "^1.9.0"', '"@opentelemetry/api": "^1.10.0"');
    const { code, said } = await check(copy);
    expect(code).toBe(1);
    const seen = said.split('\n').filter((line) => /: (added|changed|removed)\.$/.test(line));
    expect(seen).toEqual([
      'command reconcile --sampled: removed.',
      'command reconcile --thinned: added.',
      'export KoaContext of ./koa: changed.',
      'export causesOf of .: added.',
      'export explicitCauses of .: removed.',
      'export observeFailure of .: changed.',
      'peer @opentelemetry/api: changed.',
      'telemetry nemo.gym.failure.cause_id: removed.',
      'telemetry nemo.gym.failure.caused_by: added.',
      'telemetry nemo.gym.failures: changed.',
      'variable OTEL_NEMO_GYM_HEADER_LIMIT: added.',
      'variable OTEL_NEMO_GYM_MAX_HEADER_BYTES: removed.',
      'wire ROW_FAILURE_ID: changed.',
    ]);
    expect(said).toContain(`  - declare function observeFailure(error: unknown`);
    expect(said).toContain(`  + declare function observeFailure(more: boolean, error: unknown`);
    expect(said).toContain(
      'Write a line with `observeFailure` in backticks below ### Changed or ### Deprecated or ### Fixed or ### Security of "## [Unreleased]" in CHANGELOG.md.',
    );
  });

  it('is not recorded before the CHANGELOG tells it, under a heading that fits', async () => {
    const record = readFileSync(join(copy, 'test/package/public-api.txt'), 'utf8');
    expect((await node([SCRIPT, '--root', copy], ROOT)).code).toBe(1);
    expect(readFileSync(join(copy, 'test/package/public-api.txt'), 'utf8')).toBe(record);
    const added = '- `causesOf()`, `--thinned`, `nemo.gym.failure.caused_by`\n- `OTEL_NEMO_GYM_HEADER_LIMIT`\n';
    const changed =
      '- `observeFailure(more, error)`, `KoaContext`, `nemo.gym.failures`, `_ng_own_failure`, `@opentelemetry/api`\n';
    const removed = '- `explicitCauses`, `reconcile --sampled`, `OTEL_NEMO_GYM_MAX_HEADER_BYTES`\n';
    const text = `# Changelog\n\n## [Unreleased]\n\n### Added\n${added}\n### Changed\n${changed}\n### Removed\n${removed}`;
    writeFileSync(join(copy, 'CHANGELOG.md'), text);
    const { said } = await check(copy);
    expect(said.split('\n').filter((line) => / removed\.$/.test(line))).toEqual([
      'telemetry nemo.gym.failure.cause_id: removed.',
    ]);
    writeFileSync(join(copy, 'CHANGELOG.md'), `${text}- \`nemo.gym.failure.cause_id\`\n`);
    expect(await check(copy)).toEqual({ code: 0, said: '' });
  });

  it('starts a new record once it is told', async () => {
    expect((await node([SCRIPT, '--root', copy], ROOT)).code).toBe(0);
    writeFileSync(join(copy, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n');
    expect(await check(copy)).toEqual({ code: 0, said: '' });
  });
});
