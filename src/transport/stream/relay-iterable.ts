import type { RelayObserver } from './relay-observer.ts';

/** An iterator over `source` that asks it for a value when it is asked for one itself. */
export function relayIterable<T>(source: AsyncIterable<T>, observer: RelayObserver): AsyncIterableIterator<T> {
  return new IterableRelay(source, observer);
}

class IterableRelay<T> implements AsyncIterableIterator<T> {
  readonly #source: AsyncIterable<T>;
  readonly #observer: RelayObserver;
  #iterator: AsyncIterator<T> | undefined;

  constructor(source: AsyncIterable<T>, observer: RelayObserver) {
    this.#source = source;
    this.#observer = observer;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(...given: [] | [undefined]): Promise<IteratorResult<T>> {
    return this.#pass(() => this.#from().next(...given));
  }

  return(value?: unknown): Promise<IteratorResult<T>> {
    this.#observer.end();
    return this.#pass(() => this.#from().return?.(value) ?? { done: true, value });
  }

  throw(error?: unknown): Promise<IteratorResult<T>> {
    return this.#pass(async () => {
      const iterator = this.#from();
      if (iterator.throw !== undefined) return iterator.throw(error);
      await iterator.return?.();
      throw error;
    });
  }

  #from(): AsyncIterator<T> {
    this.#iterator ??= this.#source[Symbol.asyncIterator]();
    return this.#iterator;
  }

  async #pass(step: () => IteratorResult<T> | PromiseLike<IteratorResult<T>>): Promise<IteratorResult<T>> {
    try {
      const result = await step();
      if (result.done === true) this.#observer.end();
      else this.#observer.see(result.value);
      return result;
    } catch (error) {
      this.#observer.end();
      throw error;
    }
  }
}
