// Whether this tree could be published as it is: everything is looked at, and a dry run of publishing made. It publishes
// nothing. Usage, with the package built: node scripts/release-check.mjs [--root DIR]   (npm run release:check)
// A line each: `ok`, `TO DO` with the remedy, or `not asked` where the registry or git is not there. Ends with 1 when
// something is to do.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { changelogSections, leastVersion } from './api/changelog.mjs';
import { attwProblems, publintProblems } from './package-checks.mjs';
import { surfaceChanges } from './public-api.mjs';

const OWN = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { root: { type: 'string' } } });
const root = values.root ?? OWN;
const read = (path) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json'));
const { name, version } = manifest;
const ok = (text) => ({ state: 'ok', text });
const toDo = (text) => ({ state: 'TO DO', text });
const notAsked = (text) => ({ state: 'not asked', text });

/** What a command says and whether it ended with 0. */
async function run(command, args, env = process.env) {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, { cwd: root, env, maxBuffer: 1 << 24 });
    return { isOk: true, out: stdout, said: `${stdout}${stderr}`.trim() };
  } catch (error) {
    return {
      isOk: false,
      out: error.stdout ?? '',
      said: `${error.stdout ?? ''}${error.stderr ?? error.message}`.trim(),
    };
  }
}

async function tree() {
  if (!existsSync(join(root, '.git')))
    return notAsked('git: this is no clone, so nobody knows whether all is committed');
  const { out, said, isOk } = await run('git', ['status', '--porcelain']);
  if (!isOk) return notAsked(`git: ${said}`);
  const open = out.split('\n').filter((line) => line !== '');
  if (open.length > 0) return toDo(`commit or remove ${open.length} files first: ${open.slice(0, 3).join(', ')}`);
  return ok('git: everything is committed');
}

async function lint() {
  const biome = join(OWN, 'node_modules', '.bin', 'biome');
  const { isOk, said } = await run(biome, ['check', '--error-on-warnings', '.']);
  return isOk ? ok('lint: nothing') : toDo(`lint: ${said.split('\n').slice(0, 12).join('\n')}`);
}

function versions() {
  const inSource = /PACKAGE_VERSION = '([^']+)'/.exec(read('src/version.ts'))?.[1];
  const inLock = JSON.parse(read('package-lock.json')).version;
  const others = Object.entries({ 'src/version.ts': inSource, 'package-lock.json': inLock });
  const wrong = others.filter(([, found]) => found !== version).map(([file, found]) => `${file} says ${found}`);
  return wrong.length > 0
    ? toDo(`version: package.json says ${version}, but ${wrong.join(', ')}`)
    : ok(`version: ${version} in package.json, its lock and src/version.ts`);
}

function changelog() {
  const [section, ...earlier] = changelogSections(read('CHANGELOG.md'));
  if (section?.name !== version || section.date === undefined) {
    const found =
      section === undefined ? 'no section' : `"## [${section.name}]${section.date ? ` - ${section.date}` : ''}"`;
    return toDo(
      `CHANGELOG.md begins with ${found}: make it "## [${version}] - YYYY-MM-DD", with the day of the release`,
    );
  }
  const before = earlier.find(({ date }) => date !== undefined)?.name;
  const least = before === undefined ? version : leastVersion(before, section);
  if (least.localeCompare(version, 'en', { numeric: true }) > 0)
    return toDo(`version: after ${before}, what CHANGELOG.md tells needs at least ${least} (docs/releases.md)`);
  return ok(`CHANGELOG.md: begins with ${version}, dated ${section.date}`);
}

function surface() {
  const changes = surfaceChanges(root).map(({ title, was }) => `${title} ${was}`);
  if (changes.length === 0) return ok('public surface: as recorded');
  return toDo(`public surface: ${changes.length} changes are not recorded (${changes[0]}, …): npm run api:record`);
}

function repository() {
  if (manifest.publishConfig?.provenance !== true) return toDo('package.json: publishConfig.provenance is not true');
  const { url } = manifest.repository ?? {};
  if (url !== undefined) return ok(`repository: ${url}`);
  return toDo(
    'package.json has no `repository`. npm refuses to publish with provenance until it names the public repository that ' +
      'the workflow runs in: "repository": { "type": "git", "url": "git+https://HOST/OWNER/NAME.git" }',
  );
}

async function packed(folder) {
  const { isOk, said } = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]);
  const [tarball] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  if (!isOk || tarball === undefined) return [toDo(`npm pack: ${said}`)];
  const path = join(folder, tarball);
  const [publint, attw] = await Promise.all([publintProblems(path), attwProblems(path)]);
  return [
    publint.length > 0 ? toDo(publint.join('\n')) : ok('publint: nothing'),
    attw.length > 0 ? toDo(attw.join('\n')) : ok('attw: nothing'),
    await isFree(),
    await dryRun(path),
  ];
}

async function isFree() {
  const { isOk, out, said } = await run('npm', ['view', `${name}@${version}`, 'version', '--fetch-retries=0']);
  if (isOk && out.trim() === version)
    return toDo(`registry: ${name}@${version} is published already; raise the version`);
  if (isOk || said.includes('E404')) return ok(`registry: ${name}@${version} is not taken`);
  const [reason = ''] = said.split('\n').filter((line) => /error (code|errno)/.test(line));
  return notAsked(`registry: not reachable (${reason}), so nobody knows whether ${name}@${version} is taken`);
}

async function dryRun(tarball) {
  const { isOk, said } = await run('npm', ['publish', tarball, '--dry-run', '--fetch-retries=0']);
  const lines = said.split('\n').filter((line) => /package size|unpacked size|total files|Publishing to/.test(line));
  const told = lines.map((line) => line.replace('npm notice ', '')).join(', ');
  return isOk ? ok(`npm publish --dry-run: ${told}`) : toDo(`npm publish --dry-run: ${said}`);
}

const folder = mkdtempSync(join(tmpdir(), 'ng-release-'));
try {
  const steps = [
    await tree(),
    await lint(),
    versions(),
    changelog(),
    surface(),
    repository(),
    ...(await packed(folder)),
  ];
  for (const { state, text } of steps) console.log(`${state.padEnd(10)} ${text}`);
  const open = steps.filter(({ state }) => state === 'TO DO').length;
  console.log(
    open === 0
      ? `\n${name}@${version} can be published.`
      : `\n${open} to do before ${name}@${version} can be published.`,
  );
  process.exitCode = open === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
