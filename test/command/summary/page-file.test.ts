import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PageFile } from '../../../src/command/summary/page-file.ts';
import { Summarizer } from '../../../src/command/summary/summarizer.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'page-file-'));
const rows = path.join(folder, 'rows.jsonl');
writeFileSync(rows, '{}\n');
const EMPTY = new Summarizer().summary([rows], 0);
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

it.skipIf(process.platform === 'win32')(
  'keeps a link and who may read the page, and never touches another’s file',
  async () => {
    const page = path.join(folder, 'kept.html');
    const link = path.join(folder, 'link.html');
    writeFileSync(page, 'old', { mode: 0o600 });
    symlinkSync(page, link);
    await new PageFile(link, [rows]).write(EMPTY);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(page).mode & 0o777).toBe(0o600);
    expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>/);

    // What the page passes by on its way into place is there already, and leads elsewhere.
    const victim = path.join(folder, 'victim.txt');
    const passing = `${path.join(folder, 'new.html')}.${process.pid}.tmp`;
    writeFileSync(victim, 'mine');
    symlinkSync(victim, passing);
    await expect(new PageFile(path.join(folder, 'new.html'), [rows]).write(EMPTY)).rejects.toThrow('cannot be written');
    expect(readFileSync(victim, 'utf8')).toBe('mine');
    expect(lstatSync(passing).isSymbolicLink()).toBe(true);
  },
);
