import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { node, type Ran, ROOT } from './packed.ts';

const PARTS = [
  '.gitignore',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'biome.json',
  'dist',
  'docker-compose.yml',
  'docs',
];
const MORE = ['examples/jaeger', 'examples/scale', 'otel-collector.yaml', 'package-lock.json', 'package.json', 'src'];
const { name, version } = packageJson;
const REPOSITORY = { type: 'git', url: 'git+https://example.org/owner/name.git' };
let copy: string;

const read = (path: string): string => readFileSync(join(copy, path), 'utf8');
const write = (path: string, text: string): void => writeFileSync(join(copy, path), text);
/** The tests need Node alone; without git nobody knows what is committed, and the script says that. */
const hasGit = spawnSync('git', ['--version']).status === 0;
const git = (...args: string[]): void => {
  if (!hasGit) return;
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  execFileSync('git', [...who, ...args], { cwd: copy, stdio: 'ignore' });
};

/** Runs the check on the copy; no registry is there to ask. */
function check(): Promise<Ran> {
  const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9/' };
  return node([join(ROOT, 'scripts/release-check.mjs'), '--root', copy], ROOT, env);
}

/** A tree of its own that has all that a release needs. */
beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'ng-release-'));
  for (const part of [...PARTS, ...MORE, 'test/package/public-api.txt'])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  await node([join(ROOT, 'scripts/public-api.mjs'), '--root', copy], ROOT);
  write('package.json', `${JSON.stringify({ ...packageJson, repository: REPOSITORY }, null, 2)}\n`);
  execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', 'package.json'], {
    cwd: copy,
    stdio: 'ignore',
  });
  write('CHANGELOG.md', read('CHANGELOG.md').replace(/^## \[.*/m, `## [${version}] - 2026-12-01`));
  write('.gitignore', `${read('.gitignore')}node_modules\n`);
  git('init');
  git('add', '.');
  git('commit', '-m', 'all');
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

it('has nothing to do where everything is there, and says what it could not ask', async () => {
  const { code, said } = await check();
  const states = said.split('\n').map((line) => line.slice(0, 20).trim());
  expect(states).toEqual([
    hasGit ? 'ok         git: ever' : 'not asked  git: this',
    'ok         lint: not',
    'ok         version:',
    'ok         CHANGELOG',
    'ok         public su',
    'ok         repositor',
    'ok         publint:',
    'ok         attw: not',
    'not asked  registry:',
    'ok         npm publi',
    '',
    `${name}@`.slice(0, 20),
    '',
  ]);
  expect(said).toContain(`${name}@${version} can be published.`);
  expect(code).toBe(0);
});

it('tells of all that is missing, each with its remedy', async () => {
  const { repository: _, ...nameless } = JSON.parse(read('package.json'));
  write('package.json', `${JSON.stringify({ ...nameless, version: '0.2.1' }, null, 2)}\n`);
  write('CHANGELOG.md', '# Changelog\n\n## [Unreleased]\n\n### Added\n- It.\n');
  write('src/index.ts', `${read('src/index.ts')}\nvar unused = 1;\n`);
  write('dist/koa.d.ts', read('dist/koa.d.ts').replace('readonly body: unknown', 'readonly body: string'));
  const { code, said } = await check();
  expect(code).toBe(1);
  expect(said).toMatch(hasGit ? /TO DO +commit or remove 3 files first: / : /not asked +git/);
  expect(said).toMatch(/TO DO +lint: /);
  expect(said).toContain(
    `version: package.json says 0.2.1, but src/version.ts says ${version}, package-lock.json says`,
  );
  expect(said).toContain('CHANGELOG.md begins with "## [Unreleased]": make it "## [0.2.1] - YYYY-MM-DD"');
  expect(said).toContain('public surface: 1 changes are not recorded (export KoaContext of ./koa changed, …)');
  expect(said).toContain('package.json has no `repository`. npm refuses to publish with provenance');
});

it('asks for the version that semantic versioning wants after the one before', async () => {
  const section = (heading: string): string => `## [0.2.1] - 2026-12-01\n\n### ${heading}\n- It.\n`;
  write('CHANGELOG.md', `# Changelog\n\n${section('Removed')}\n${section('Added').replace('0.2.1', '0.2.0')}`);
  const { said } = await check();
  expect(said).toContain('TO DO      version: after 0.2.0, what CHANGELOG.md tells needs at least 0.3.0');
});
