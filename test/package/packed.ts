import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The package as npm packs it. */
export interface Packed {
  readonly tarball: string;
  /** What is in it, unpacked. */
  readonly folder: string;
  /** Bytes of the tarball, and of all its files. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly string[];
  remove(): void;
}

/** What a program said and how it ended. */
export interface Ran {
  readonly code: number;
  /** Both its outputs. */
  readonly said: string;
}

/** Packs `source` (default: this package, with `dist/` as it is built) into a temporary folder. */
export async function pack(source = ROOT): Promise<Packed> {
  const place = mkdtempSync(join(tmpdir(), 'ng-packed-'));
  const command = promisify(execFile);
  const args = ['pack', source, '--ignore-scripts', '--json', '--pack-destination', place];
  const { stdout } = await command('npm', args, { cwd: place });
  const [{ filename, files, size, unpackedSize }] = JSON.parse(stdout);
  const tarball = join(place, filename);
  await command('tar', ['-xzf', tarball, '-C', place]);
  return {
    tarball,
    folder: join(place, 'package'),
    size,
    unpackedSize,
    files: files.map(({ path }: { path: string }) => path),
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}

/** Runs this Node on `args`. */
export function node(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, env, maxBuffer: 1 << 24 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, said: stdout + stderr });
    });
  });
}
