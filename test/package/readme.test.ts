import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { blocksIn } from '../support/documents/blocks.ts';
import {
  freshEnvironment,
  importedPackages,
  installLine,
  PACKAGE,
  printedInReadme,
  readme,
  readmeSteps,
  walk,
  withoutIds,
} from '../support/readme-walk.ts';
import { type Packed, pack, ROOT } from './packed.ts';

let packed: Packed;
let folder: string;

beforeAll(async () => {
  packed = await pack();
  folder = mkdtempSync(join(tmpdir(), 'ng-readme-'));
});
afterAll(() => {
  packed.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** What `npm install` would leave, without the network: the package as packed, and the others as they are here. */
function install(project: string): void {
  const modules = join(project, 'node_modules');
  cpSync(packed.folder, join(modules, PACKAGE), { recursive: true });
  const needed = [...Object.keys(packageJson.dependencies), ...Object.keys(packageJson.peerDependencies)];
  for (const name of new Set([...importedPackages(), ...needed])) {
    if (name === PACKAGE) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  mkdirSync(join(modules, '.bin'));
  symlinkSync(join(modules, PACKAGE, packageJson.bin['ng-failures']), join(modules, '.bin', 'ng-failures'));
}

describe('README.md', () => {
  it('leads from an empty folder to the failure chain that it shows', async () => {
    install(join(folder, 'gym'));
    const env = freshEnvironment();
    // test/matrix/readme.test.ts is the same walk with npm's own install.
    const walked = await walk({
      folder,
      env,
      rewrite: (line) => line.replace(/^npm install .*/, ':').replace('mkdir gym', ':'),
    });
    const lines = readmeSteps().flatMap((step) => (step.is === 'commands' ? step.text.trim().split('\n') : []));
    expect(walked.map(({ line }) => line)).toEqual(lines);
    expect(withoutIds(walked.at(-1)?.stdout ?? '')).toBe(printedInReadme());
  });

  it('says to install what its files import, and nothing else', () => {
    expect([...installLine().packages].sort()).toEqual(importedPackages());
  });

  it('has no JavaScript that the walk does not run', () => {
    const code = blocksIn(readme()).filter(({ language }) => !['', 'sh'].includes(language));
    const files = readmeSteps().filter(({ is }) => is === 'file');
    expect(code.map(({ text }) => text)).toEqual(files.map(({ text }) => text));
    expect(files.length).toBe(3);
  });
});
