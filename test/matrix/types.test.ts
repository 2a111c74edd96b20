import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import type { Platform } from './cells.ts';
import { compile, removeProjects, tsProject } from './ts-project.ts';
import versions from './typescripts.json' with { type: 'json' };

const CONSUMER = new URL('../process/programs/types/consumer.ts', import.meta.url);
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

afterAll(removeProjects);

function said(version: string, line: Platform['line'], file: string, options: object): Promise<string> {
  const consumer = readFileSync(CONSUMER, 'utf8');
  const place = tsProject(line, { 'consumer.ts': consumer, 'static.cts': STATIC, 'late.cts': LATE });
  return compile(version, place, [file], options);
}

const moduleOf = (resolution: string) => (resolution === 'bundler' ? 'ESNext' : resolution);

describe.each(versions)('TypeScript %s compiles an ES module that uses every name', (version) => {
  it.each(RESOLUTIONS)('by %s', async (resolution) => {
    const options = { module: moduleOf(resolution), moduleResolution: resolution };
    // Each file of the package is checked as well, once a compiler: that is what takes its time. 5.5 finds fault with
    // Node's own types.
    const skipLibCheck = resolution !== 'nodenext' || version === OLDEST;
    expect(await said(version, 'otel2', 'consumer.ts', { ...options, skipLibCheck })).toBe('');
  });
});

it.each([OLDEST, NEWEST])('TypeScript %s compiles it beside the 3.x line of OpenTelemetry', async (version) => {
  const options = { module: 'nodenext', moduleResolution: 'nodenext', skipLibCheck: version === OLDEST };
  expect(await said(version, 'otel3', 'consumer.ts', options)).toBe('');
});

describe('a CommonJS file of TypeScript', () => {
  const since = (version: string) => versions.slice(versions.indexOf(version));

  it.each(since('5.8.3'))(
    'is compiled by TypeScript %s with nodenext, which knows that Node requires ES modules',
    async (version) => {
      expect(await said(version, 'otel2', 'static.cts', { module: 'nodenext', skipLibCheck: true })).toBe('');
    },
  );

  it.each([OLDEST, NEWEST])('loads it by import() with node16, by TypeScript %s', async (version) => {
    expect(await said(version, 'otel2', 'late.cts', { module: 'node16', skipLibCheck: true })).toBe('');
    const refused = await said(version, 'otel2', 'static.cts', { module: 'node16', skipLibCheck: true });
    expect(refused).toContain('error TS1479');
    expect(refused).not.toContain('/register');
  });
});
