import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { blocksIn } from './documents/blocks.ts';

const README = new URL('../../README.md', import.meta.url);
const SECTION = '## From an empty folder to a failure chain';
/** What takes long is an install from npm. */
const PATIENCE_MS = 60_000;

/** A block of code in the README's walk: commands, a file to write, or what the last command prints. */
export type Step =
  | { readonly is: 'commands'; readonly text: string }
  | { readonly is: 'file'; readonly name: string; readonly text: string }
  | { readonly is: 'output'; readonly text: string };

/** How a walk is walked: where, as whom, and with what in place of the package's name in the commands. */
export interface Walker {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Given each line of commands; gives what is run. */
  readonly rewrite: (line: string) => string;
}

/** What a command line printed, and how long it took. */
export interface Walked {
  readonly line: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export const readme = (): string => readFileSync(README, 'utf8');

/** The walk that the README tells, in its order. */
export function readmeSteps(): readonly Step[] {
  const [, section = ''] = readme().split(`${SECTION}\n`);
  const [walk = ''] = section.split(/^## /m);
  return blocksIn(walk).map(({ language, text }): Step => {
    if (language === 'sh') return { is: 'commands', text };
    if (language !== 'js') return { is: 'output', text };
    const [, name] = /^\/\/ ([\w-]+\.mjs)/.exec(text) ?? [];
    if (name === undefined) throw new Error(`a block of the README names no file in its first line: ${text}`);
    return { is: 'file', name, text };
  });
}

/** The packages that the walk has to install: those that its files import. */
export function importedPackages(): readonly string[] {
  const files = readmeSteps().filter(({ is }) => is === 'file');
  const specifiers = files.flatMap(({ text }) => [...text.matchAll(/ from '((?!node:|\.)[^']+)'/g)]);
  const names = specifiers.map(([, from = '']) =>
    from
      .split('/')
      .slice(0, from.startsWith('@') ? 2 : 1)
      .join('/'),
  );
  return [...new Set(names)].sort();
}

/** Follows the README: writes its files and runs its commands, one line after the other in one shell's folder. */
export async function walk({ folder, env, rewrite }: Walker): Promise<readonly Walked[]> {
  const walked: Walked[] = [];
  let place = folder;
  for (const step of readmeSteps()) {
    if (step.is === 'file') writeFileSync(join(place, step.name), step.text);
    if (step.is !== 'commands') continue;
    for (const line of step.text.trim().split('\n')) {
      const start = Date.now();
      const told = join(folder, 'place');
      const { stdout, stderr } = await shell(`${rewrite(line)}\npwd > '${told}'`, place, env);
      place = readFileSync(told, 'utf8').trim();
      walked.push({ line, stdout, stderr, ms: Date.now() - start });
    }
  }
  return walked;
}

function shell(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    execFile('sh', ['-ec', script], { cwd, env, timeout: PATIENCE_MS }, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`${script}\n${stdout}${stderr}`, { cause: error }));
      else resolve({ stdout, stderr });
    });
  });
}

/** A printed chain with each event's id as `ID`: those of a run are its own. */
export const withoutIds = (printed: string): string => printed.replaceAll(/\b[0-9a-f]{32}\b/g, 'ID').trim();

/** What the README says that its last command prints. */
export function printedInReadme(): string {
  const [output, ...others] = readmeSteps().filter(({ is }) => is === 'output');
  if (output === undefined || others.length > 0) throw new Error('the walk of the README has not one output');
  return withoutIds(output.text);
}

/** The environment of somebody who opens a terminal: nothing of npm's, vitest's or OpenTelemetry's. */
export function freshEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|NODE_|VITEST|OTEL_|FORCE_COLOR)/.test(name),
  );
  return Object.fromEntries(own);
}

/** The line that installs, with the packages it names. */
export function installLine(): { readonly line: string; readonly packages: readonly string[] } {
  const lines = readmeSteps().flatMap((step) => (step.is === 'commands' ? step.text.trim().split('\n') : []));
  const line = lines.find((text) => text.startsWith('npm install ')) ?? '';
  return { line, packages: line.split(/\s+/).slice(2) };
}

export const PACKAGE = packageJson.name;
