import { existsSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

/** A test that a document names: `test/….test.ts` “its title”. */
export interface CitedTest {
  readonly file: string;
  readonly title: string;
}

/** The cells of each row of a document's tables, rulers and the headings that begin with `head` left out. */
export function tableRows(document: string, head: string): readonly (readonly string[])[] {
  return readFileSync(new URL(document, ROOT), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| ?-/.test(line) && !line.startsWith(`| ${head} |`))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** The tests that a cell names. */
export function testsIn(cell: string | undefined): readonly CitedTest[] {
  return [...(cell ?? '').matchAll(/`(test\/[^`]+)` “([^”]+)”/g)].map(([, file = '', title = '']) => ({ file, title }));
}

/** Those of `cited` that are not there. */
export function missingTests(cited: readonly CitedTest[]): readonly CitedTest[] {
  const titles = new Map<string, ReadonlySet<string>>();
  for (const { file } of cited) {
    if (!titles.has(file)) titles.set(file, existsSync(new URL(file, ROOT)) ? titlesOf(file) : new Set());
  }
  return cited.filter(({ file, title }) => titles.get(file)?.has(title) !== true);
}

/** The titles that a test file gives as literals, with what stands in for values left as it is written. */
function titlesOf(file: string): ReadonlySet<string> {
  const source = readFileSync(new URL(file, ROOT), 'utf8');
  const literals = source.matchAll(/\(\s*(['"`])((?:\\.|(?!\1).)*)\1,/gs);
  return new Set([...literals].map(([, , title = '']) => title.replace(/\\(.)/g, '$1')));
}
