import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { Server } from './servers.ts';
import type { SpanFiles } from './spans.ts';

/** A server in each language for the tests of a file, and a folder for what they leave. */
export interface Pair {
  readonly node: Server;
  readonly python: Server;
  readonly folder: string;
  /** Where their spans go, and those of Python's client. */
  readonly spans: SpanFiles & { readonly client: string };
}

/** Starts both before the tests of this file, and ends them afterwards. */
export function withPair(): Pair {
  const folder = mkdtempSync(join(tmpdir(), 'ng-peers-'));
  const [nodeSpans, pythonSpans, client] = ['node', 'python', 'client'].map((name) => join(folder, `${name}.jsonl`));
  if (nodeSpans === undefined || pythonSpans === undefined || client === undefined) throw new Error('no files');
  const running: { node?: Server; python?: Server } = {};
  beforeAll(async () => {
    [running.node, running.python] = await Promise.all([Server.node(nodeSpans), Server.fastapi(pythonSpans)]);
  });
  afterAll(async () => {
    await Promise.all([running.node?.stop(), running.python?.stop()]);
    rmSync(folder, { recursive: true });
  });
  const started = (server: Server | undefined): Server => {
    if (server === undefined) throw new Error('the servers run in tests only');
    return server;
  };
  return {
    get node() {
      return started(running.node);
    },
    get python() {
      return started(running.python);
    },
    folder,
    spans: { node: [nodeSpans], python: [pythonSpans, client], client },
  };
}
