import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksIn, blockWith, textOf } from '../support/documents/blocks.ts';
import { lineNotPrinted } from '../support/documents/printed.ts';
import { type DocumentProject, documentProject } from '../support/documents/project.ts';
import { type ShellSaid, shell } from '../support/documents/shell.ts';
import { failingServer, refusingOrigin } from '../support/failing-server.ts';
import { tap } from '../support/tap.ts';

const DOCUMENT = 'examples/README.md';
const SERVERS = ['3001', '3002', '3003', '3004', '3005'];
/** What is copied together, since each goes on in the shell of the one before. */
const BLOCKS = blocksIn(textOf(DOCUMENT)).filter(
  ({ language, text }) => language === 'sh' && text.includes('examples/'),
);
/** Waits until all of some ports answer. */
const LISTENING = `
import { connect } from 'node:net';
for (const port of process.argv.slice(2)) {
  const tried = () => new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done(true)).on('error', () => done(false));
    socket.unref();
  });
  while (!(await tried())) await new Promise((done) => setTimeout(done, 50));
}
process.exit();
`;

let project: DocumentProject;
let said: ShellSaid;

/** The document's script with ports that are free, and something that breaks off half-way behind the relay. */
async function script(halfStream: string): Promise<string> {
  const ports = await Promise.all(SERVERS.map(async (from) => [from, new URL(await refusingOrigin()).port]));
  const portOf = Object.fromEntries(ports);
  const placed = BLOCKS.map(({ text }) => {
    const moved = text
      .replace('http://127.0.0.1:8000', halfStream)
      .replaceAll(/127\.0\.0\.1:(300\d)/g, (_, from) => `127.0.0.1:${portOf[from]}`);
    const started = [...moved.matchAll(/^.*examples\/([\w-]+)\/.* &$/gm)].map(
      ([, example = '']) => portOf[defaultPort(example)],
    );
    return moved
      .replaceAll(
        /^(.*)(node .*examples\/([\w-]+)\/.* &)$/gm,
        (_, env, line, name) => `${env}PORT=${portOf[defaultPort(name)]} ${line}`,
      )
      .replace(/^sleep \d.*$/m, `node listening.mjs ${started.join(' ')}`);
  });
  const provider = await refusingOrigin();
  const [model, resources, agent] = [3001, 3002, 3003].map((port) => `http://127.0.0.1:${portOf[port]}`);
  const urls = `export MODEL_URL=${model} RESOURCES_URL=${resources} AGENT_URL=${agent} PROVIDER_URL=${provider} EPISODE_MS=500`;
  // A shell that nobody types into numbers no jobs.
  const script = [urls, ...placed, 'wait'].join('\n').replaceAll(/ &$/gm, ' & jobs="$jobs $!"');
  return script.replace(/^kill %1 %2 %3 %4 %5.*$/m, 'kill $jobs');
}

/** As the document's table has it. */
function defaultPort(example: string): string {
  const [, port = ''] = new RegExp(`^\\| \`${example}\` \\|.*\\| (\\d+) \\|$`, 'm').exec(textOf(DOCUMENT)) ?? [];
  return port;
}

const rowsOf = (file: string): Record<string, unknown>[] =>
  readFileSync(join(project.folder, 'out', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  project = documentProject();
  project.write('listening.mjs', LISTENING);
  await using provider = await failingServer();
  await using cut = await tap(() => `${provider.origin}/half-stream/documents`);
  said = await shell(project, await script(cut.url));
});
afterAll(() => project.remove());

describe('examples/README.md, from its first command to its last', () => {
  it('has three parts, and each server of its table is started', () => {
    expect(BLOCKS.length).toBe(3);
    const started = BLOCKS.flatMap(({ text }) =>
      [...text.matchAll(/examples\/([\w-]+)\/.* &$/gm)].map(([, name = '']) => name),
    );
    expect(started.map(defaultPort).sort()).toEqual(SERVERS);
  });

  it('ends well', () => {
    expect(said.code, said.err).toBe(0);
  });

  it('shows why a rollout without a provider failed', async () => {
    const { text } = blockWith(DOCUMENT, 'The provider gave no answer in 3 attempts');
    const [command = '', ...shown] = text.split('\n');
    const { out } = await shell(project, command.replace('$ ', ''));
    expect(lineNotPrinted(shown.join('\n'), out)).toBeUndefined();
  });

  it('saves the report of a stream that broke off', () => {
    const [row] = rowsOf('streamed_failures.jsonl');
    const events = Object.values(Object(row?._ng_failure_events));
    expect(events).toMatchObject([{ boundary: 'model', failure_kind: 'transport_peer_drop' }]);
  });

  it('saves the second task’s bad move and the third’s timeout', () => {
    expect(rowsOf('episodes.jsonl')).toMatchObject([{ _ng_task_index: 0, reward: expect.any(Number) }]);
    expect(rowsOf('episodes_failures.jsonl').map(({ _ng_task_index: task }) => task)).toEqual([1, 2]);
  });
});
