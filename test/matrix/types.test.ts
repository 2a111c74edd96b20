import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import type { Platform } from './cells.ts';
import { compilerOf, fixtureOf } from './plan.ts';
import versions from './typescripts.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONSUMER = join(ROOT, 'test/process/programs/types/consumer.ts');
const RESOLUTIONS = ['node16', 'nodenext', 'bundler'] as const;
const [OLDEST = ''] = versions;
const NEWEST = versions.at(-1) ?? '';

const STATIC = `
import { type FailureReport, NgFailureEvent } from '${packageJson.name}';
import { failureReports } from '${packageJson.name}/express';
import '${packageJson.name}/register';
export const idsOf = (report: FailureReport): string[] => Object.keys(report.events);
export const is = (value: unknown): boolean => NgFailureEvent.is(value);
export const handlers = failureReports();
`;
const LATE = `
import '${packageJson.name}/register';
export const idOf = async (error: unknown): Promise<string | undefined> =>
  (await import('${packageJson.name}')).findBoundaryFailure(error)?.eventId;
`;

const projects: string[] = [];
afterAll(() => {
  for (const project of projects) rmSync(project, { recursive: true, force: true });
});

/** A folder in the project that has the package installed from its tarball, with Node's types beside it. */
function project(line: Platform['line']): string {
  const place = mkdtempSync(join(fixtureOf(line), 'types-'));
  projects.push(place);
  mkdirSync(join(place, 'node_modules', '@types'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(place, 'node_modules/@types/node'));
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  cpSync(CONSUMER, join(place, 'consumer.ts'));
  writeFileSync(join(place, 'static.cts'), STATIC);
  writeFileSync(join(place, 'late.cts'), LATE);
  return place;
}

/** What a compiler says of one of the files; the empty text when it has nothing against it. */
function compile(version: string, line: Platform['line'], file: string, options: object): Promise<string> {
  const place = project(line);
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2022', 'ESNext.Disposable'],
    types: ['node'],
    strict: true,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: 'out',
    ...options,
  };
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
  return new Promise((resolve) => {
    execFile(process.execPath, [compilerOf(version), '-p', place], { cwd: place }, (error, stdout, stderr) => {
      resolve(error === null ? '' : `${stdout}${stderr}` || String(error));
    });
  });
}

const moduleOf = (resolution: string) => (resolution === 'bundler' ? 'ESNext' : resolution);

describe.each(versions)('TypeScript %s compiles an ES module that uses every name', (version) => {
  it.each(RESOLUTIONS)('by %s', async (resolution) => {
    const options = { module: moduleOf(resolution), moduleResolution: resolution };
    // Each file of the package is checked as well, once a compiler: that is what takes its time. 5.5 finds fault with
    // Node's own types.
    const skipLibCheck = resolution !== 'nodenext' || version === OLDEST;
    expect(await compile(version, 'otel2', 'consumer.ts', { ...options, skipLibCheck })).toBe('');
  });
});

it.each([OLDEST, NEWEST])('TypeScript %s compiles it beside the 3.x line of OpenTelemetry', async (version) => {
  const options = { module: 'nodenext', moduleResolution: 'nodenext', skipLibCheck: version === OLDEST };
  expect(await compile(version, 'otel3', 'consumer.ts', options)).toBe('');
});

describe('a CommonJS file of TypeScript', () => {
  const since = (version: string) => versions.slice(versions.indexOf(version));

  it.each(since('5.8.3'))(
    'is compiled by TypeScript %s with nodenext, which knows that Node requires ES modules',
    async (version) => {
      expect(await compile(version, 'otel2', 'static.cts', { module: 'nodenext', skipLibCheck: true })).toBe('');
    },
  );

  it.each([OLDEST, NEWEST])('loads it by import() with node16, by TypeScript %s', async (version) => {
    expect(await compile(version, 'otel2', 'late.cts', { module: 'node16', skipLibCheck: true })).toBe('');
    const said = await compile(version, 'otel2', 'static.cts', { module: 'node16', skipLibCheck: true });
    expect(said).toContain('error TS1479');
    expect(said).not.toContain('/register');
  });
});
