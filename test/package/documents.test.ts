import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { allBlocks, allCommands, type Block, blockWith, DOCUMENTS, textOf } from '../support/documents/blocks.ts';
import { DRAWINGS, ELSEWHERE, isRunHere, NO_COMMANDS } from '../support/documents/commands.ts';
import { documentProject } from '../support/documents/project.ts';
import { shell } from '../support/documents/shell.ts';
import { programOf, SNIPPETS } from '../support/documents/snippets.ts';
import { readmeSteps } from '../support/readme-walk.ts';
import { ROOT } from './packed.ts';

const EXAMPLES = 'examples/README.md';
/** Blocks of what is printed without its command; test/process/documents.test.ts looks for each. */
const PRINTED: readonly (readonly [document: string, words: string])[] = [
  ['README.md', '12 only in traces explained'],
  ['docs/command.md', 'ng-failures --help'],
  ['docs/command.md', '1 finding;'],
  ['docs/command.md', 'sampled out\n'],
  ['docs/summary.md', 'ng-failures summary ROWS'],
];
/** The README's walk; test/package/readme.test.ts and test/matrix/readme.test.ts walk it. */
const walked = readmeSteps().map(({ text }) => text);

/** Whether a path from the root is there, or something like it where it has a `*`. */
function isThere(path: string): boolean {
  const [stem = ''] = basename(path).split('*');
  if (!path.includes('*')) return existsSync(join(ROOT, path));
  const folder = join(ROOT, dirname(path));
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(stem));
}

const project = documentProject();
afterAll(() => project.remove());

/** What a block is held true by; each has to have exactly one. */
function waysOf(block: Block): string[] {
  const { document, language, text } = block;
  const is = (of: readonly (readonly [string, string])[]): boolean =>
    of.some(([name, words]) => name === document && blockWith(name, words).text === text);
  const ways = {
    'the walk': document === 'README.md' && walked.includes(text),
    'a snippet': is(SNIPPETS.map(({ document: name, has }) => [name, has])),
    'a drawing': is(DRAWINGS),
    'an output': is(PRINTED) || text.startsWith('$ '),
    // Each of its lines is looked at below.
    commands: language === 'sh' && !walked.includes(text),
  };
  return Object.entries(ways).flatMap(([way, holds]) => (holds ? [way] : []));
}

describe('everything in the documents is held true by something', () => {
  it.each(allBlocks())('the block at $document:$line', (block) => {
    expect(waysOf(block), block.text).toHaveLength(1);
  });

  const lines = [
    ...new Set(walked.flatMap((text) => text.trim().split('\n')).map((line) => line.replace(/\s+# .*/, ''))),
  ];
  const others = allCommands().filter(({ document, text }) => document !== EXAMPLES && !lines.includes(text));
  it.each([...new Set(others.map(({ text }) => text))])('the command %s', (command) => {
    if (isRunHere(command) || NO_COMMANDS.includes(command)) return;
    const elsewhere = ELSEWHERE[command];
    if (elsewhere === undefined)
      throw new Error(`nothing runs ${command}: have test/process/documents*.test.ts run it`);
    expect(readFileSync(join(ROOT, elsewhere.in), 'utf8')).toContain(elsewhere.as);
  });

  it('nothing is held true that no document has', () => {
    const commands = allCommands().map(({ text }) => text);
    expect([...Object.keys(ELSEWHERE), ...NO_COMMANDS].filter((command) => !commands.includes(command))).toEqual([]);
    for (const [document, words] of [...DRAWINGS, ...PRINTED]) blockWith(document, words);
  });

  it('each npm script that is named is one', () => {
    const named = allCommands().flatMap(({ text }) =>
      [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name),
    );
    expect([...new Set(named)].filter((name) => !(name in packageJson.scripts))).toEqual([]);
    expect(new Set(named).size).toBeGreaterThan(8);
  });
});

it('the TypeScript in the documents compiles', async () => {
  const files = SNIPPETS.filter(({ file }) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(5);
  for (const snippet of files) project.write(snippet.file, programOf(snippet));
  const names = files.map(({ file }) => file);
  project.write('tsconfig.snippets.json', JSON.stringify({ extends: './tsconfig.json', files: names }));
  const { code, out } = await shell(project, 'node node_modules/typescript/bin/tsc -p tsconfig.snippets.json');
  expect(out).toBe('');
  expect(code).toBe(0);
});

describe.each(DOCUMENTS)('%s', (document) => {
  it('links to what is there', () => {
    const links = [...textOf(document).matchAll(/\]\((?!https?:)([^)#]+)(#[^)]*)?\)/g)].map(([, path = '']) => path);
    expect(links.filter((path) => !existsSync(join(ROOT, dirname(document), path)))).toEqual([]);
  });

  it('names files that are there', () => {
    const named = [...textOf(document).matchAll(/`((?:src|test|docs|scripts|bench|examples)\/[\w./*-]*)`/g)];
    expect(named.map(([, path = '']) => path).filter((path) => !isThere(path))).toEqual([]);
  });
});

it('each file and folder that ARCHITECTURE.md gives a room is there', () => {
  const cells = [...textOf('ARCHITECTURE.md').matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell = '']) => cell);
  const missing = cells.flatMap((cell) => {
    const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    const folder = names[0]?.replace(/[^/]*$/, '') ?? '';
    return names.filter((name) => !['', 'src/', folder, `src/${folder}`].some((place) => isThere(place + name)));
  });
  expect(cells.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});
