import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { freshEnvironment } from '../support/readme-walk.ts';
import type { Platform } from './cells.ts';
import { fixtureOf, nodeOf, packedTarball } from './plan.ts';
import { compile, removeProjects, tsProject } from './ts-project.ts';

const PLATFORMS: readonly Platform[] = [
  { node: '20', line: 'otel2' },
  ...(['22', '24', '26'] as const).flatMap((node) => [
    { node, line: 'otel2' } as const,
    { node, line: 'otel3' } as const,
  ]),
];
const SUB_PATHS = Object.keys(packageJson.exports).map((path) => packageJson.name + path.slice(1));
/** npm's note on packages of others that would run a script when they are installed. */
const OF_OTHERS = /^npm warn install-scripts/;
const PACKAGE_JSON_OF = (line: Platform['line']) => new URL(`${line}/package.json`, import.meta.url);

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What a user compiles once and runs anywhere: an ES module and a CommonJS file, of the same text. */
const SOURCE = `
import { type FailureReport, failureReportFor, NgFailureEvent } from '${packageJson.name}';
import { failureReports } from '${packageJson.name}/express';
const failure = new NgFailureEvent({ boundary: 'agent', failureKind: 'agent_run_error', failureReason: 'x' });
const report: FailureReport = failureReportFor(failure);
console.log(report.failureId === failure.eventId, failureReports().length);
`;
const compiled = new Map<Platform['line'], Promise<string>>();

function compiledProject(line: Platform['line']): Promise<string> {
  const known = compiled.get(line) ?? compileProject(line);
  compiled.set(line, known);
  return known;
}

async function compileProject(line: Platform['line']): Promise<string> {
  const place = tsProject(line, { 'app.ts': SOURCE, 'app.cts': SOURCE });
  const said = await compile('5.9.3', place, ['app.ts', 'app.cts'], { module: 'nodenext', skipLibCheck: true });
  if (said !== '') throw new Error(said);
  return place;
}

function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env, maxBuffer: 1 << 24 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err });
    });
  });
}

const withNode = (node: string): NodeJS.ProcessEnv => ({
  ...freshEnvironment(),
  PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
});

/** A user's project that adds the tarball to a line: what npm warns of, and what it decided to install. */
async function install({ node, line }: Platform): Promise<{ warnings: string[]; lock: Map<string, string> }> {
  const project = mkdtempSync(join(tmpdir(), 'ng-install-'));
  try {
    cpSync(PACKAGE_JSON_OF(line), join(project, 'package.json'));
    const args = ['install', packedTarball(), '--package-lock-only', '--prefer-offline', '--no-audit', '--no-fund'];
    const { code, out, err } = await run('npm', args, project, withNode(nodeOf(node)));
    const lines = `${out}${err}`.split('\n');
    if (code !== 0) throw new Error(lines.join('\n'));
    const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
    return {
      warnings: lines.filter((text) => /^npm (warn|error)/.test(text) && !OF_OTHERS.test(text)),
      lock: new Map(Object.keys(packages).map((place) => [place, String(packages[place].version)])),
    };
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

afterAll(removeProjects);

for (const platform of PLATFORMS) describe(`Node ${platform.node}, ${platform.line}`, () => platformSuite(platform));

function platformSuite(platform: Platform): void {
  it('installs without a word on peers or engines, and takes the project’s own OpenTelemetry', async () => {
    const { warnings, lock } = await install(platform);
    expect(warnings).toEqual([]);
    expect(lock.get(`node_modules/${packageJson.name}`)).toBe(packageJson.version);
    expect([...lock.keys()].filter((place) => place.startsWith(`node_modules/${packageJson.name}/`))).toEqual([]);
    const { dependencies } = JSON.parse(readFileSync(PACKAGE_JSON_OF(platform.line), 'utf8'));
    for (const name of ['@opentelemetry/api', '@opentelemetry/instrumentation'])
      expect(lock.get(`node_modules/${name}`), name).toBe(dependencies[name]);
  });

  it('imports and requires each sub-path, to the same names and without a warning', async () => {
    const node = nodeOf(platform.node);
    const names =
      '.map((module) => Object.keys(module).filter((name) => !/^(default|module.exports|__)/.test(name)).sort())';
    const paths = JSON.stringify(SUB_PATHS.filter((path) => !path.endsWith('.json')));
    const [esm, cjs] = await Promise.all([
      runCode(
        'module',
        `console.log(JSON.stringify((await Promise.all(${paths}.map((path) => import(path))))${names}))`,
      ),
      runCode('commonjs', `console.log(JSON.stringify(${paths}.map((path) => require(path))${names}))`),
    ]);
    async function runCode(type: string, code: string): Promise<Ran> {
      return run(node, [`--input-type=${type}`, '--eval', code], fixtureOf(platform.line), withNode(node));
    }
    expect({ ...esm, out: '' }).toEqual({ code: 0, out: '', err: '' });
    expect(cjs).toEqual(esm);
    const [root, ...others] = JSON.parse(esm.out);
    expect(root.length).toBeGreaterThan(40);
    expect(others).toEqual([['failureReports'], ['failureReports'], ['failureReports'], ['failureReports'], []]);
  });

  it.each(['app.js', 'app.cjs'])('runs a project of TypeScript: %s', async (file) => {
    const node = nodeOf(platform.node);
    const ran = await run(node, [`out/${file}`], await compiledProject(platform.line), withNode(node));
    expect(ran).toEqual({ code: 0, out: 'true 2\n', err: '' });
  });
}
