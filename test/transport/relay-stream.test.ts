import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Duplex, PassThrough, Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, type TestContext } from 'vitest';
import { FAILURES_CHANNEL } from '../../src/transport/announce.ts';
import { relayStream } from '../../src/transport/relay-stream.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';

const EVENTS = { a: { event_id: 'a', boundary: 'model', failure_kind: 'cancelled', failure_reason: 'x 漢' } };
const FIRST = Buffer.from('data: {"type":"response.created"}\n\n');
const TERMINAL = Buffer.from(
  `data: ${JSON.stringify({ type: 'response.failed', nemo_gym_failure_report: { failure_id: 'a', events: EVENTS } })}\n\n`,
);
const REPORT = { events: EVENTS };

async function serve(context: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function receive(url: string): Promise<IncomingMessage> {
  const [response]: IncomingMessage[] = await once(get(url), 'response');
  if (response === undefined) throw new Error('no response');
  return response;
}

/** Counts how often something is observed while `work` runs in a request of its own. */
async function inRequest(work: (log: RequestFailureLog) => Promise<void>): Promise<{ report: unknown; times: number }> {
  let times = 0;
  const count = (): void => {
    times += 1;
  };
  FAILURES_CHANNEL.subscribe(count);
  try {
    return await RequestFailureLog.capture(async (log) => {
      await work(log);
      return { report: log.report.toJSON(), times };
    });
  } finally {
    FAILURES_CHANNEL.unsubscribe(count);
  }
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return chunks;
}

const OBSERVED_ONCE = { report: REPORT, times: 1 };

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

  it('passes an error on, the same one, and observes what came before', async () => {
    const error = new Error('broken');
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

describe('an async iterable', () => {
  async function* source(log: string[], ...chunks: unknown[]): AsyncGenerator<unknown, string, undefined> {
    try {
      for (const chunk of chunks) {
        if (chunk instanceof Error) throw chunk;
        yield chunk;
      }
      return 'done';
    } catch (error) {
      log.push(`throw ${error instanceof Error ? error.message : error}`);
      throw error;
    } finally {
      log.push('finally');
    }
  }

  it('gives an async iterator with the same chunks, and observes at its end', async () => {
    const text = TERMINAL.toString();
    for (const chunks of [
      [FIRST, TERMINAL],
      [text.slice(0, 50), text.slice(50)],
      [TERMINAL.buffer.slice(0), TERMINAL],
      [{}, TERMINAL],
    ]) {
      const seen = await inRequest(async () => {
        const got = await collect(relayStream(source([], ...chunks)));
        expect(got.map((chunk, index) => chunk === chunks[index])).toEqual([true, true]);
      });
      expect(seen).toEqual(OBSERVED_ONCE);
    }
  });

  it('keeps the source’s own return value', async () => {
    expect(await relayStream(source([])).next()).toEqual({ done: true, value: 'done' });
  });

  it('passes an error on, and observes', async () => {
    const error = new Error('broken');
    const seen = await inRequest(async () => {
      await expect(collect(relayStream(source([], TERMINAL, error)))).rejects.toBe(error);
    });
    expect(seen).toEqual(OBSERVED_ONCE);
  });

  it('passes a break on, and observes', async () => {
    const log: string[] = [];
    const seen = await inRequest(async () => {
      for await (const chunk of relayStream(source(log, TERMINAL, FIRST))) {
        expect(chunk).toBe(TERMINAL);
        break;
      }
    });
    expect(log).toEqual(['finally']);
    expect(seen).toEqual(OBSERVED_ONCE);
  });

  it('passes a throw on, and observes', async () => {
    const log: string[] = [];
    const seen = await inRequest(async () => {
      const relayed = relayStream(source(log, TERMINAL, FIRST));
      await relayed.next();
      await expect(relayed.throw?.(new Error('enough'))).rejects.toThrow('enough');
    });
    expect(log).toEqual(['throw enough', 'finally']);
    expect(seen).toEqual(OBSERVED_ONCE);
  });

  it('observes at a return that the source never answers', async () => {
    const seen = await inRequest(async () => {
      const stuck = {
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ done: false, value: TERMINAL }),
          return: () => new Promise<never>(() => undefined),
        }),
      };
      const relayed = relayStream(stuck);
      await relayed.next();
      void relayed.return?.();
    });
    expect(seen).toEqual(OBSERVED_ONCE);
  });

  it('may lack return and throw', async () => {
    const bare = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: TERMINAL }) }) };
    const seen = await inRequest(async () => {
      for await (const _chunk of relayStream(bare)) break;
      await expect(relayStream(bare).throw?.(new Error('enough'))).rejects.toThrow('enough');
    });
    expect(seen).toEqual(OBSERVED_ONCE);
  });
});

describe('where it is observed', () => {
  it('in the request in which the relaying began, also when it ends in another', async () => {
    const first = RequestFailureLog.capture((log) => ({ log, relayed: relayStream(Readable.from([TERMINAL])) }));
    const other = await inRequest(async () => {
      await collect(first.relayed);
    });
    expect(first.log.report.toJSON()).toEqual(REPORT);
    expect(other).toEqual({ report: {}, times: 1 });
  });

  it('in no request when the relaying began outside of one', async () => {
    const relayed = relayStream(Readable.from([TERMINAL]));
    const other = await inRequest(async () => {
      await collect(relayed);
    });
    expect(other).toEqual({ report: {}, times: 1 });
  });
});

describe('what is no stream', () => {
  it('comes back when it is nothing', () => {
    expect(relayStream(null)).toBeNull();
    expect(relayStream(undefined)).toBeUndefined();
  });

  it('is refused by name', () => {
    // Only JavaScript can pass it.
    const relay: (body: unknown) => unknown = relayStream as never;
    expect(() => relay('text')).toThrow(/Cannot relay "text"/);
    expect(() => relay({ pipe: 1 })).toThrow(TypeError);
  });
});
