import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { Problems, UnreadableFileError } from '../../../src/command/problems.ts';
import { jsonLines } from '../../../src/command/rows/json-lines.ts';
import { lineBatches, unreadable } from '../../../src/command/rows/lines.ts';

const dir = mkdtempSync(join(tmpdir(), 'ng-lines-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function file(content: string | Uint8Array): string {
  const path = join(dir, 'file.jsonl');
  writeFileSync(path, content);
  return path;
}

async function read(content: string | Uint8Array) {
  const said: string[] = [];
  const problems = new Problems((text) => said.push(text));
  const values: unknown[] = [];
  const numbers: number[] = [];
  for await (const lines of jsonLines(file(content), problems)) {
    for (const { number, value } of lines) {
      numbers.push(number);
      values.push(value);
    }
  }
  return { values, numbers, said: said.join('').replaceAll(dir, ''), badLines: problems.badLines };
}

describe('good files', () => {
  it.each([
    ['LF', '{"a":1}\n{"a":2}\n'],
    ['CRLF', '{"a":1}\r\n{"a":2}\r\n'],
    ['no line end at the end', '{"a":1}\n{"a":2}'],
    ['a byte order mark', '\ufeff{"a":1}\n{"a":2}\n'],
    ['a byte order mark and CRLF', '\ufeff{"a":1}\r\n{"a":2}\r\n'],
  ])('reads lines with %s', async (_name, content) => {
    expect(await read(content)).toEqual({ values: [{ a: 1 }, { a: 2 }], numbers: [1, 2], said: '', badLines: 0 });
  });

  it('counts the blank lines that it passes over', async () => {
    expect(await read('\n{"a":1}\n   \t  \r\n\n{"a":2}\n\n')).toMatchObject({ numbers: [2, 5], said: '' });
  });

  it('puts lines together that are longer than one read, and cuts inside of characters', async () => {
    const long = { a: 'é€😀'.repeat(70_000) };
    const rows = [{ a: 0 }, long, { a: 1 }, long, { a: 2 }];
    const { values, said } = await read(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    expect(values).toEqual(rows);
    expect(said).toBe('');
  });

  it('keeps a replacement character that the text itself has', async () => {
    expect((await read('{"a":"\ufffd"}\n')).values).toEqual([{ a: '\ufffd' }]);
  });

  it('says that a file is empty, which is no fault', async () => {
    for (const content of ['', '\n', '\ufeff']) {
      expect(await read(content)).toEqual({ values: [], numbers: [], said: '/file.jsonl: is empty\n', badLines: 0 });
    }
  });
});

describe('bad lines', () => {
  it.each([
    ['no JSON', '{"a":1}\nnope\n{"a":2}\n', ':2: not JSON ('],
    ['a torn last line', '{"a":1}\n{"a":2}\n{"a":', ':3: cut off: the file ends inside this line'],
    [
      'an array',
      '[{"a":1}]\n{"a":1}\n{"a":2}\n',
      ":1: is an array, not a JSON object; an array of rows becomes lines with: jq -c '.[]' FILE",
    ],
    ['a text', '"a"\n{"a":1}\n{"a":2}\n', ':1: is a string, not a JSON object'],
    ['null', 'null\n{"a":1}\n{"a":2}\n', ':1: is null, not a JSON object'],
    ['bytes that are not UTF-8', Buffer.from('{"a":1}\n{"a":"\xe9"}\n{"a":2}\n', 'latin1'), ':2: not UTF-8'],
  ])('names %s and goes on', async (_name, content, message) => {
    const { values, said, badLines } = await read(content);
    expect(values).toEqual([{ a: 1 }, { a: 2 }]);
    expect(said).toContain(message);
    expect(badLines).toBe(1);
  });

  it('knows a pretty-printed document, gzip and UTF-16', async () => {
    expect((await read(JSON.stringify({ a: 1 }, undefined, 2))).said).toContain(
      'each row must be one line: jq -c . FILE',
    );
    expect((await read(gzipSync('{"a":1}\n'.repeat(10)))).said).toContain('compressed with gzip');
    expect((await read(Buffer.from('\ufeff{"a":1}\n', 'utf16le'))).said).toContain('UTF-16');
  });

  it('names ten of many and counts the others', async () => {
    const { said, badLines } = await read('{\n'.repeat(500));
    expect(said.trim().split('\n')).toHaveLength(11);
    expect(said).toContain('and 490 more lines that cannot be read');
    expect(badLines).toBe(500);
  });

  it('shows nothing of a hostile line that a terminal would act on', async () => {
    const { said } = await read('\x1b]0;owned\x07\u202e{\n');
    expect(said).toMatch(/not JSON/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(said).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
  });
});

describe('files that cannot be read', () => {
  it('says why', () => {
    expect(unreadable(join(dir, 'nope.jsonl'))).toMatch(/nope\.jsonl: no such file; check the path$/);
    expect(unreadable(dir)).toMatch(/is a directory; name the \.jsonl files in it$/);
    expect(unreadable(file(''))).toBeUndefined();
  });

  it('throws when a read fails', async () => {
    const lines = lineBatches(dir);
    await expect(lines.next()).rejects.toThrow(UnreadableFileError);
  });
});
