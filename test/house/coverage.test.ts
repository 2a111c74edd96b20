import { describe, expect, it } from 'vitest';
import { missingTests, tableRows, testsIn } from './cited-tests.ts';

const rows = tableRows('docs/coverage.md', 'The page says');

describe('docs/coverage.md', () => {
  it('has rows of four cells, each with our name and at least one test', () => {
    expect(rows.length).toBeGreaterThan(80);
    const incomplete = rows.filter(
      (cells) => cells.length !== 4 || cells[0] === '' || cells[1] === '' || testsIn(cells[2]).length === 0,
    );
    expect(incomplete).toEqual([]);
  });

  it('names only tests that exist', () => {
    expect(missingTests(rows.flatMap((cells) => testsIn(cells[2])))).toEqual([]);
  });
});
