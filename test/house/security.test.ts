import { describe, expect, it } from 'vitest';
import { missingTests, tableRows, testsIn } from './cited-tests.ts';

const rows = tableRows('docs/security.md', 'Who tries what');

describe('docs/security.md', () => {
  it('says of each threat what holds, and which test shows it', () => {
    expect(rows.length).toBeGreaterThan(30);
    const incomplete = rows.filter(
      (cells) => cells.length !== 3 || cells[0] === '' || cells[1] === '' || testsIn(cells[2]).length === 0,
    );
    expect(incomplete).toEqual([]);
  });

  it('names only tests that exist', () => {
    expect(missingTests(rows.flatMap((cells) => testsIn(cells[2])))).toEqual([]);
  });
});
