import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { RequestFailureLog } from '../../../src/transport/request-log.ts';
import { relayStream } from '../../../src/transport/stream/relay-stream.ts';
import { collect, FIRST, inRequest, OBSERVED_ONCE, REPORT, TERMINAL } from '../../support/stream-relays.ts';

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
      [new Uint8Array(FIRST).buffer, TERMINAL],
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
