import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
let project = '';

/** A user's package with this one installed: what is published, and its dependencies beside it. */
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'ng-types-'));
  const installed = join(project, 'node_modules', packageJson.name);
  mkdirSync(installed, { recursive: true });
  cpSync(join(ROOT, 'dist'), join(installed, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'));
  for (const name of ['@opentelemetry', '@types', 'zod']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  }
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  cpSync(join(ROOT, 'test/process/programs/types/consumer.ts'), join(project, 'consumer.ts'));
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

/** What a real `tsc` says of the user's file; the empty text when it has nothing against it. */
function compile(name: string, options: Readonly<Record<string, unknown>>): Promise<string> {
  const config = join(project, `tsconfig.${name}.json`);
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2022', 'ESNext.Disposable'],
    types: ['node'],
    strict: true,
    skipLibCheck: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: `out-${name}`,
    ...options,
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
  return new Promise((resolve) => {
    execFile(process.execPath, [TSC, '-p', config], { cwd: project }, (error, stdout, stderr) => {
      resolve(error === null ? '' : `${stdout}${stderr}` || String(error));
    });
  });
}

describe('the published types compile in a user’s package', () => {
  const settings = [
    { resolution: 'node16', exact: false },
    { resolution: 'nodenext', exact: false },
    { resolution: 'nodenext', exact: true },
    { resolution: 'bundler', exact: false },
    { resolution: 'bundler', exact: true },
  ];

  it.each(settings)('$resolution, exactOptionalPropertyTypes $exact', async ({ resolution, exact }) => {
    const module = resolution === 'bundler' ? 'ESNext' : resolution;
    const options = { module, moduleResolution: resolution, exactOptionalPropertyTypes: exact };
    expect(await compile(`${resolution}-${exact}`, options)).toBe('');
  });
});
