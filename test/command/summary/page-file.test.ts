import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PageFile } from '../../../src/command/summary/page-file.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'page-file-'));
const rows = path.join(folder, 'rows.jsonl');
writeFileSync(rows, '{}\n');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('is never a file of rows, by whatever name', () => {
  const other = path.join(folder, 'other-name.jsonl');
  symlinkSync(rows, other);
  for (const name of [rows, other, path.join(folder, '.', 'rows.jsonl')]) {
    expect(() => new PageFile(name, [rows])).toThrow('is a file of rows; name another file for the page');
  }
});

it('needs its folder, and is an ordinary file', () => {
  expect(() => new PageFile(path.join(folder, 'nowhere', 'page.html'), [rows])).toThrow(
    `there is no folder ${path.join(folder, 'nowhere')}; make it first`,
  );
  mkdirSync(path.join(folder, 'taken'));
  expect(() => new PageFile(path.join(folder, 'taken'), [rows])).toThrow('is a folder; name a file in it');
  expect(() => new PageFile('/dev/null', [rows])).toThrow('is no ordinary file');
  expect(readdirSync(folder).some((name) => name.endsWith('.tmp'))).toBe(false);
  expect(existsSync(path.join(folder, 'page.html'))).toBe(false);
});
