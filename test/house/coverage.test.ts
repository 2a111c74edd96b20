import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const text = readFileSync(new URL('docs/coverage.md', ROOT), 'utf8');

/** The cells of each table row, headings and rulers left out. */
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| ?(-|The page says)/.test(line))
  .map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const cited = rows.flatMap((cells) =>
  [...(cells[2] ?? '').matchAll(/`(test\/[^`]+)` “([^”]+)”/g)].map(([, file = '', title = '']) => ({ file, title })),
);

/** The titles that a test file gives as literals, with what stands in for values left as it is written. */
function titlesOf(file: string): Set<string> {
  const source = readFileSync(new URL(file, ROOT), 'utf8');
  const literals = source.matchAll(/\(\s*(['"`])((?:\\.|(?!\1).)*)\1,/gs);
  return new Set([...literals].map(([, , title = '']) => title.replace(/\\(.)/g, '$1')));
}

describe('docs/coverage.md', () => {
  it('has rows of four cells, each with our name and at least one test', () => {
    expect(rows.length).toBeGreaterThan(80);
    const incomplete = rows.filter(
      (cells) => cells.length !== 4 || cells[0] === '' || cells[1] === '' || !/`test\/[^`]+` “/.test(cells[2] ?? ''),
    );
    expect(incomplete).toEqual([]);
  });

  it('names only tests that exist', () => {
    const titles = new Map<string, Set<string>>();
    for (const { file } of cited) {
      if (!titles.has(file)) titles.set(file, existsSync(new URL(file, ROOT)) ? titlesOf(file) : new Set());
    }
    expect(cited.filter(({ file, title }) => !titles.get(file)?.has(title))).toEqual([]);
  });
});
