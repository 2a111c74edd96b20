import {
  ReadableStream,
  type ReadableStreamDefaultController,
  type ReadableStreamDefaultReader,
} from 'node:stream/web';
import type { RelayObserver } from './relay-observer.ts';

/**
 * A web stream that takes a chunk from `source` when it is asked for one. A TransformStream would do for streams that
 * end well; of one that fails it tells nobody.
 */
export function relayWebStream<T>(source: ReadableStream<T>, observer: RelayObserver): ReadableStream<T> {
  return new ReadableStream<T>(new WebRelay(source, observer), { highWaterMark: 0 });
}

class WebRelay<T> {
  readonly #reader: ReadableStreamDefaultReader<T>;
  readonly #observer: RelayObserver;
  #reading = false;
  #sourceClosed = false;
  #ended = false;

  constructor(source: ReadableStream<T>, observer: RelayObserver) {
    this.#reader = source.getReader();
    this.#observer = observer;
  }

  start(controller: ReadableStreamDefaultController<T>): void {
    // The end is passed on at once, also while nobody reads. A source may call itself closed just before it hands over
    // its last chunk, so a read that is under way comes first.
    this.#reader.closed.then(
      () => {
        this.#sourceClosed = true;
        if (!this.#reading) this.#close(controller);
      },
      (error: unknown) => this.#fail(controller, error),
    );
  }

  async pull(controller: ReadableStreamDefaultController<T>): Promise<void> {
    this.#reading = true;
    try {
      const { done, value } = await this.#reader.read();
      if (this.#ended) return;
      if (!done) {
        this.#observer.see(value);
        controller.enqueue(value);
      }
      if (done || this.#sourceClosed) this.#close(controller);
    } catch (error) {
      this.#fail(controller, error);
    } finally {
      this.#reading = false;
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.#end();
    return this.#reader.cancel(reason);
  }

  #close(controller: ReadableStreamDefaultController<T>): void {
    if (this.#ended) return;
    this.#end();
    controller.close();
  }

  #fail(controller: ReadableStreamDefaultController<T>, error: unknown): void {
    if (this.#ended) return;
    this.#end();
    controller.error(error);
  }

  #end(): void {
    this.#ended = true;
    this.#observer.end();
  }
}
