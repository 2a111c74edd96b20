import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../../../package.json' with { type: 'json' };
import { freshEnvironment } from '../readme-walk.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** What a command of a clone finds beside itself. */
const OF_A_CLONE = ['dist', 'docs', 'examples', 'scripts'];
/** Nest's decorators are of the older kind. */
const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    module: 'nodenext',
    lib: ['ES2022', 'ESNext.Disposable'],
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    experimentalDecorators: true,
  },
};

/** A folder in which the documents' commands and files work as they stand: a user's project and a clone in one. */
export interface DocumentProject {
  readonly folder: string;
  /** A terminal's, with this Node first. */
  readonly env: NodeJS.ProcessEnv;
  write(name: string, text: string): void;
  remove(): void;
}

export function documentProject(): DocumentProject {
  const folder = mkdtempSync(join(tmpdir(), 'ng-documents-'));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  symlinkSync(ROOT, join(modules, packageJson.name));
  symlinkSync(join(ROOT, packageJson.bin['ng-failures']), join(modules, '.bin', 'ng-failures'));
  for (const name of OF_A_CLONE) symlinkSync(join(ROOT, name), join(folder, name));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write('package.json', '{"private":true,"type":"module"}');
  write('tsconfig.json', JSON.stringify(TSCONFIG));
  return {
    folder,
    env: { ...freshEnvironment(), PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` },
    write,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
