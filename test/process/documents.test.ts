import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Batch, startBatch } from '../support/documents/batch.ts';
import { allBlocks, allCommands, blockWith, commandsOf } from '../support/documents/blocks.ts';
import { lineNotPrinted } from '../support/documents/printed.ts';

const calls = allCommands()
  .map(({ text }) => text)
  .filter((text) => /^(npx |node dist\/)?ng-failures\b/.test(text));
/** Of the batch's files. What is about others is run in test/process/documents-examples.test.ts. */
const commands = [...new Set(calls)].filter((text) => !text.includes('tried'));
const areWhole = (command: string): boolean => command.includes('.jsonl');
let batch: Batch;

beforeAll(async () => {
  batch = await startBatch();
});
afterAll(() => batch.stop());

describe('ng-failures, as the documents call it', () => {
  it.each(commands.filter(areWhole))('%s', async (command) => {
    const { code, out, err } = await batch.run(command);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^(\S+: written, \d+ kB\n)?$/) });
    expect(out).not.toBe('');
  });

  it.each(commands.filter((command) => !areWhole(command)))('%s, as a name', async (command) => {
    const [, name = ''] = /ng-failures(?:\.js)?( [a-z]+)?/.exec(command) ?? [];
    const { code, out } = await batch.run(`ng-failures${name} --help`);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(`Usage: ng-failures${name}`) });
  });
});

describe('what the documents show is what is printed', () => {
  const shown = allBlocks().filter(({ document, text }) => text.startsWith('$ ') && document.startsWith('docs/'));

  it.each(shown)('$document, line $line', async (block) => {
    const [command = ''] = commandsOf(block);
    const { out } = await batch.run(command);
    const [, ...lines] = block.text.split('\n');
    expect(lineNotPrinted(lines.join('\n'), out)).toBeUndefined();
    const [wrong = ''] = lines.filter((line) => line.includes(' ')).map((line) => line.replace(/[a-z]{3}/, 'xyz'));
    expect(lineNotPrinted(wrong, out)).toBe(lineNotPrinted(wrong, ''));
  });

  it('how npm start ends', () => {
    const { code, out, err } = batch.started;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(lineNotPrinted(blockWith('README.md', '12 only in traces').text, out)).toBeUndefined();
  });

  it('what reconcile says with an event taken out of the traces, and where traces are sampled', async () => {
    const { text } = blockWith('docs/command.md', '1 finding;');
    const { out } = await batch.run('ng-failures reconcile ROWS.jsonl --traces out/without-one.jsonl');
    expect(lineNotPrinted(text, out)).toBeUndefined();
    const sampled = await batch.run('ng-failures reconcile ROWS.jsonl --traces out/sampled.jsonl --sampled');
    expect(lineNotPrinted(blockWith('docs/command.md', 'sampled out\n').text, sampled.out)).toBeUndefined();
  });

  it('how ng-failures is called', async () => {
    const { out } = await batch.run('ng-failures --help');
    const help = out.replace('Usage:', '      ');
    const [usage, summary] = [blockWith('docs/command.md', 'ng-failures --help'), blockWith('docs/summary.md', 'ROWS')];
    const lines = [...usage.text.trim().split('\n'), summary.text.trim()];
    expect(lines.splice(4, 1)).toEqual(['ng-failures --help | help [COMMAND] | --version']);
    for (const line of lines) expect(help).toContain(`       ${line}\n`);
    for (const args of ['help', 'help trace', '--version']) {
      expect(await batch.run(`ng-failures ${args}`)).toMatchObject({ code: 0, err: '' });
    }
  });
});
