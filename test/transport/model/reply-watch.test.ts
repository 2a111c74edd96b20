import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ReplyWatcher, watchReply } from '../../../src/transport/model/reply-watch.ts';
import { type FailingServer, failingServer } from '../../support/failing-server.ts';

let server: FailingServer;
beforeAll(async () => {
  server = await failingServer();
});
afterAll(() => server[Symbol.asyncDispose]());

class Recorder implements ReplyWatcher {
  request: object | undefined;
  isOpen = true;
  readonly heard: string[] = [];
  sent(): void {
    this.heard.push('sent');
  }
  bytes(): void {
    if (this.heard.at(-1) !== 'bytes') this.heard.push('bytes');
  }
  ended(): void {
    this.heard.push('ended');
  }
  broke(): void {
    this.heard.push('broke');
  }
}

// The package tells of chunks on a channel on each Node, `fetch` only since Node 24. Whichever is loaded first puts its
// agent below the other one, too.
it.each([
  ['fetch', (address: string) => fetch(address, { method: 'POST' })],
  [
    'undici.fetch',
    async (address: string) => {
      const { Agent, fetch: ofPackage } = await import('undici');
      return ofPackage(address, { method: 'POST', dispatcher: new Agent() });
    },
  ],
])('%s: the bytes of a failing reply are heard of, those of one that is well are not', async (name, call) => {
  const heardOf = async (way: 'fine' | 'broken'): Promise<string[]> => {
    const recorder = new Recorder();
    const response = await watchReply(recorder, () => call(`${server.address(way, name)}/responses`));
    expect((await response.text()).length).toBeGreaterThan(0);
    return recorder.heard;
  };
  expect(await heardOf('broken')).toEqual(['sent', 'bytes', 'ended']);
  expect(await heardOf('fine')).toEqual(['sent', 'ended']);
});
