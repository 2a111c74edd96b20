import { ReadableStream } from 'node:stream/web';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { relayStream } from '../../../src/transport/stream/relay-stream.ts';
import { collect, FIRST, inRequest, OBSERVED_ONCE, serve, TERMINAL } from '../../support/stream-relays.ts';

describe('a web stream', () => {
  function source(log: string[], ...chunks: unknown[]): ReadableStream<unknown> {
    return new ReadableStream<unknown>(
      {
        pull(controller) {
          const chunk = chunks.shift();
          log.push('pull');
          if (chunk === undefined) controller.close();
          else if (chunk instanceof Error) controller.error(chunk);
          else controller.enqueue(chunk);
        },
        cancel(reason) {
          log.push(`cancel ${reason}`);
          if (reason === 'refuse') throw new Error('no cancel');
        },
      },
      { highWaterMark: 0 },
    );
  }

  it('gives a web stream with the same chunks, and observes at its end', async () => {
    const seen = await inRequest(async () => {
      const chunks = [FIRST, TERMINAL.subarray(0, 30), TERMINAL.subarray(30)];
      const relayed = relayStream(source([], ...chunks));
      expect(relayed).toBeInstanceOf(ReadableStream);
      const got = await collect(relayed);
      expect(got).toHaveLength(3);
      for (const [index, chunk] of got.entries()) expect(chunk).toBe(chunks[index]);
    });
    expect(seen).toEqual(OBSERVED_ONCE);
  });

  it('asks for a chunk only when it is asked for one', async () => {
    const log: string[] = [];
    const reader = relayStream(source(log, FIRST, TERMINAL)).getReader();
    await delay(10);
    expect(log).toEqual([]);
    await reader.read();
    await delay(10);
    expect(log).toEqual(['pull']);
  });

  it('does not lose the last chunk of a source that closes as it hands it over', async () => {
    const seen = await inRequest(async () => {
      const eager = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(FIRST);
          controller.enqueue(TERMINAL);
          controller.close();
        },
      });
      expect(await collect(relayStream(eager))).toEqual([FIRST, TERMINAL]);
    });
    expect(seen).toEqual(OBSERVED_ONCE);
  });

  it('observes at the end although nobody reads on', async () => {
    const seen = await inRequest(async () => {
      let close: () => void = () => undefined;
      const open = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(TERMINAL);
          close = () => controller.close();
        },
      });
      const reader = relayStream(open).getReader();
      await reader.read();
      close();
      await reader.closed;
    });
    expect(seen).toEqual(OBSERVED_ONCE);
  });

  it('closes right after the last chunk of a source that is closed by then', async () => {
    const seen = await inRequest(async () => {
      const eager = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(TERMINAL);
          controller.close();
        },
      });
      const reader = relayStream(eager).getReader();
      await reader.read();
      await Promise.race([reader.closed, delay(1000).then(() => Promise.reject(new Error('still open')))]);
    });
    expect(seen).toEqual(OBSERVED_ONCE);
  });

  it('passes an error on, the same one, and observes what came before', async () => {
    const error = new Error('broken');
    const seen = await inRequest(async () => {
      await expect(collect(relayStream(source([], TERMINAL, error)))).rejects.toBe(error);
    });
    expect(seen).toEqual(OBSERVED_ONCE);
  });

  it('passes an error on while nobody reads', async () => {
    let fail: (error: Error) => void = () => undefined;
    const open = new ReadableStream<Uint8Array>({
      start(controller) {
        fail = (error) => controller.error(error);
      },
    });
    const { closed } = relayStream(open).getReader();
    fail(new Error('broken'));
    await expect(closed).rejects.toThrow('broken');
  });

  it('passes a cancel on with its reason and its outcome, and observes', async () => {
    const log: string[] = [];
    const seen = await inRequest(async () => {
      const reader = relayStream(source(log, TERMINAL, FIRST)).getReader();
      await reader.read();
      await reader.cancel('enough');
      expect(log.at(-1)).toBe('cancel enough');
      await expect(relayStream(source([])).cancel('refuse')).rejects.toThrow('no cancel');
    });
    expect(seen).toEqual(OBSERVED_ONCE);
  });

  it('survives a cancel while a read is under way', async () => {
    const never = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
    const reader = relayStream(never).getReader();
    const read = reader.read();
    await delay(1);
    await reader.cancel();
    expect(await read).toEqual({ done: true, value: undefined });
  });

  it('refuses a locked stream, as every reader does', () => {
    const locked = source([]);
    locked.getReader();
    expect(() => relayStream(locked)).toThrow(TypeError);
  });

  it('of fetch: as it comes, and with an error when the server breaks off', async (context) => {
    let finish: () => void = () => undefined;
    const url = await serve(context, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(TERMINAL);
      finish = () => response.destroy();
    });
    const seen = await inRequest(async () => {
      const { body } = await fetch(url);
      const relayed = relayStream(body);
      const reader = relayed?.getReader();
      expect(Buffer.from((await reader?.read())?.value ?? [])).toEqual(TERMINAL);
      finish();
      await expect(reader?.read()).rejects.toThrow('terminated');
    });
    expect(seen).toEqual(OBSERVED_ONCE);
  });
});
