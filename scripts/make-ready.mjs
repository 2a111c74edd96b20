import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where downloads are kept between runs: NODE_BINARIES_DIR, default ~/.cache/node-binaries. */
export const CACHE = process.env.NODE_BINARIES_DIR || join(homedir(), '.cache', 'node-binaries');

/** Runs a command; its output becomes the reason when it fails. */
export async function command(name, args, options = {}) {
  try {
    return (await run(name, args, { maxBuffer: 1 << 26, ...options })).stdout;
  } catch (error) {
    throw new Error(`${name} ${args.join(' ')}: ${String(error.stderr || error.message).trim()}`);
  }
}

/** npm without what a parent npm run says in the environment. */
export function npm(args, cwd) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(?!config_)/.test(name)));
  return command('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, env });
}

/** A folder in the cache that `fill` makes once; put in place whole, so that two runs at a time do not harm each other. */
export async function cachedFolder(name, fill) {
  const place = join(CACHE, name);
  if (existsSync(place)) return place;
  mkdirSync(dirname(place), { recursive: true });
  const work = mkdtempSync(`${place}.making-`);
  try {
    await fill(work);
    if (!existsSync(place)) renameSync(work, place);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return place;
}

/** `{ path }`, or `{ error }` with the reason. */
export async function ready(make) {
  try {
    return { path: await make() };
  } catch (error) {
    return { error: error.message };
  }
}
