import { once } from 'node:events';
import { Duplex, PassThrough, Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { relayStream } from '../../../src/transport/stream/relay-stream.ts';
import { collect, FIRST, inRequest, OBSERVED_ONCE, receive, serve, TERMINAL } from '../../support/stream-relays.ts';

describe('a Node stream', () => {
  it('gives a Readable with the same chunks, and observes at its end', async () => {
    for (const chunks of [[FIRST, TERMINAL.subarray(0, 30), TERMINAL.subarray(30)], [TERMINAL]]) {
      const seen = await inRequest(async () => {
        const relayed = relayStream(Readable.from(chunks, { objectMode: false }));
        expect(relayed).toBeInstanceOf(Readable);
        expect(relayed.readableObjectMode).toBe(false);
        const got: unknown[] = [];
        relayed.on('data', (chunk) => got.push(chunk));
        await finished(relayed);
        expect(got).toHaveLength(chunks.length);
        for (const [index, chunk] of got.entries()) expect(chunk).toBe(chunks[index]);
      });
      expect(seen).toEqual(OBSERVED_ONCE);
    }
  });

  it('gives the same chunks to a for await and to a pipeline', async () => {
    const chunks = [FIRST, TERMINAL];
    const got = await collect(relayStream(Readable.from(chunks, { objectMode: false })));
    expect(got.map((chunk, index) => chunk === chunks[index])).toEqual([true, true]);
    const out = new PassThrough();
    await pipeline(relayStream(Readable.from(chunks)), out);
    expect(Buffer.concat(await collect(out))).toEqual(Buffer.concat(chunks));
  });

  it('starts when it is read, and holds no more than one chunk', async () => {
    let made = 0;
    const source = new Readable({
      highWaterMark: 0,
      read() {
        made += 1;
        this.push(made > 100 ? null : FIRST);
      },
    });
    const relayed = relayStream(source);
    await delay(10);
    expect(made).toBe(0);
    relayed.once('data', () => relayed.pause());
    await delay(10);
    expect(made).toBeLessThan(4);
    expect(relayed.readableLength).toBeLessThanOrEqual(FIRST.length);
    expect(await collect(relayed)).toHaveLength(99);
  });

  it.each(['utf8', 'latin1', 'base64', 'hex', 'utf16le'] as const)(
    'with its encoding set to %s gives text',
    async (encoding) => {
      const seen = await inRequest(async () => {
        const source = Readable.from([TERMINAL.subarray(0, 101), TERMINAL.subarray(101)], { objectMode: false });
        const expected = TERMINAL.toString(encoding);
        const got = await collect(relayStream(source.setEncoding(encoding)));
        expect(got.every((chunk) => typeof chunk === 'string')).toBe(true);
        expect(got.join('')).toBe(expected);
      });
      expect(seen).toEqual(OBSERVED_ONCE);
    },
  );

  it.each([
    ['', new Error('broken')],
    [', of another realm too', runInNewContext('new Error("broken")')],
  ])('passes an error on%s, the same one, and observes what came before', async (_, error) => {
    const seen = await inRequest(async () => {
      const source = new Readable({ read: () => undefined });
      const relayed = relayStream(source);
      relayed.once('data', () => source.destroy(error));
      source.push(TERMINAL);
      await expect(finished(relayed)).rejects.toBe(error);
    });
    expect(seen).toEqual(OBSERVED_ONCE);
  });

  it('passes a destroy on with its error, and observes', async () => {
    const error = new Error('enough');
    const source = new Readable({ read: () => undefined });
    const seen = await inRequest(async () => {
      const relayed = relayStream(source);
      source.push(TERMINAL);
      await once(relayed, 'data');
      relayed.destroy(error);
      await expect(finished(relayed)).rejects.toBe(error);
    });
    expect(seen).toEqual(OBSERVED_ONCE);
    expect(source.errored).toBe(error);
  });

  it('closes with a source that closes without an end', async () => {
    const source = new Readable({ read: () => undefined });
    const relayed = relayStream(source);
    relayed.resume();
    source.destroy();
    await expect(finished(relayed)).rejects.toThrow(/Premature close/);
  });

  it('of a source that was over before: ends or fails at once', async () => {
    const ended = Readable.from([]);
    await finished(ended.resume());
    expect(await collect(relayStream(ended))).toEqual([]);
    const broken = new Readable({ read: () => undefined }).on('error', () => undefined).destroy(new Error('broken'));
    await delay(1);
    expect(broken.closed).toBe(true);
    await expect(collect(relayStream(broken))).rejects.toThrow('broken');
  });

  it('leaves the writable side of a socket alone when its readable side has ended', async () => {
    const written: unknown[] = [];
    const duplex = new Duplex({
      read: () => undefined,
      write(chunk, _encoding, done) {
        written.push(chunk);
        done();
      },
    });
    const relayed = relayStream(duplex);
    duplex.push(FIRST);
    duplex.push(null);
    await collect(relayed);
    await delay(1);
    duplex.write(TERMINAL);
    expect(written).toEqual([TERMINAL]);
    expect(duplex.errored).toBeNull();
  });

  it('of http.request: bytes that came before somebody reads are not lost, nor is what came before the server broke off', async (context) => {
    const url = await serve(context, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(TERMINAL);
      setTimeout(() => response.destroy(), 50);
    });
    const seen = await inRequest(async () => {
      const response = await receive(url);
      await delay(20);
      const relayed = relayStream(response);
      expect((await once(relayed, 'data'))[0]).toEqual(TERMINAL);
      await expect(finished(relayed)).rejects.toThrow('aborted');
    });
    expect(seen).toEqual(OBSERVED_ONCE);
  });

  it('relays through a server byte for byte, without waiting for more', async (context) => {
    const upstream = await serve(context, async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const chunk of [FIRST, FIRST, TERMINAL]) {
        response.write(chunk);
        await delay(15);
      }
      response.end();
    });
    const url = await serve(context, async (_request, response) => {
      const reply = await receive(upstream);
      await pipeline(relayStream(reply), response.writeHead(200));
    });
    const response = await receive(url);
    expect((await once(response, 'data'))[0]).toEqual(FIRST);
    expect(Buffer.concat(await collect(response))).toEqual(Buffer.concat([FIRST, TERMINAL]));
  });
});
