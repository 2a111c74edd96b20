import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { type FailingServer, failingServer, refusingOrigin } from '../support/failing-server.ts';
import type { Outcome } from './programs/clients/main.ts';

const MAIN = 'test/process/programs/clients/main.ts';

interface Run {
  readonly outcomes: readonly (Outcome & { readonly requests: number })[];
  /** What the client did and what the server saw, without what differs from run to run. */
  readonly behaviour: unknown;
  readonly stderr: string;
}

async function play(client: string, mode: 'plain' | 'observed'): Promise<Run> {
  await using server: FailingServer = await failingServer();
  const refused = await refusingOrigin();
  const args = ['--import', 'tsx', MAIN, client, mode, server.origin, refused];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect(code, stderr).toBe(0);
  const given: Outcome[] = JSON.parse(stdout);
  const outcomes = given.map((outcome) => ({ ...outcome, requests: server.requests(outcome.name) }));
  const behaviour = outcomes.map(({ name, parts, thrown, requests }) => ({ name, parts, thrown, requests }));
  return { outcomes, behaviour: JSON.parse(steady(JSON.stringify(behaviour))), stderr: steady(stderr) };
}

function steady(text: string): string {
  return text.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST').replaceAll(/\(node:\d+\)/g, '(node)');
}

/** The kind of each failed attempt; a reply that is no JSON, or that tells of an error in its stream, came whole. */
const KINDS: Readonly<Record<string, string | undefined>> = {
  refused: 'transport_unreachable',
  reset: 'transport_peer_drop',
  cut: 'transport_peer_drop',
  'half-stream': 'transport_peer_drop',
  rate: 'provider_unavailable',
  quota: 'provider_quota_exhausted',
  'late-quota': 'provider_quota_exhausted',
  broken: 'provider_unavailable',
  flaky: 'provider_unavailable',
  rejected: 'model_client:request_rejected',
  silent: 'transport_timeout',
};

describe('model clients do the same with the package and without it', () => {
  // Once more where the late body of `late-quota` came later than an attempt waits: a busy machine may stop for so long.
  it.each(['openai', 'ai', 'langchain', 'axios-fetch'])(
    '%s, and each attempt is observed',
    { retry: 1 },
    async (client) => {
      const [plain, observed] = await Promise.all([play(client, 'plain'), play(client, 'observed')]);
      expect(observed.behaviour).toEqual(plain.behaviour);
      expect(observed.stderr).toBe(plain.stderr);
      expect(observed.outcomes).toHaveLength(26);
      for (const { name, events, operations, requests } of observed.outcomes) {
        const way = name.replace(/-(?:whole|streamed)$/, '');
        const attempts = Number(operations[0]?.http_attempts);
        if (way !== 'refused') expect(attempts, name).toBe(requests);
        const kind = KINDS[way];
        const failed = kind === undefined ? 0 : way === 'flaky' ? 1 : attempts;
        expect(
          events.map((event) => event.failure_kind),
          name,
        ).toEqual(Array(failed).fill(kind));
        const inTransport = kind?.startsWith('transport_') === true ? failed : 0;
        expect(operations, name).toMatchObject([{ transport_failures: inTransport }]);
      }
    },
  );

  it.each(['axios', 'got'])('%s, over node:http, whose attempts nobody counts', async (client) => {
    const [plain, observed] = await Promise.all([play(client, 'plain'), play(client, 'observed')]);
    expect(observed.behaviour).toEqual(plain.behaviour);
    expect(observed.stderr).toBe(plain.stderr);
    expect(observed.outcomes).toHaveLength(26);
    for (const { name, thrown, events, operations } of observed.outcomes) {
      expect(events, name).toEqual([]);
      expect(operations, name).toMatchObject([{ outcome: thrown.length === 0 ? 'completed' : 'failed' }]);
      expect(operations[0], name).not.toHaveProperty('http_attempts');
    }
  });
});
