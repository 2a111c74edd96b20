import type { Output } from './output.ts';

/** Between two updates of the line on a terminal. */
const TERMINAL_MS = 100;
/** Elsewhere a line is printed after so long, and then every so often. */
const FIRST_LINE_MS = 10_000;
const NEXT_LINE_MS = 15_000;

/** Says on stderr how far long work is: on a terminal on one line that goes away, elsewhere now and then a line. */
export class Progress {
  readonly #err: Output;
  #next: number;

  constructor(err: Output) {
    this.#err = err;
    this.#next = performance.now() + (err.isTerminal ? 0 : FIRST_LINE_MS);
  }

  /** `text` is one line, without what a terminal would act on. */
  show(text: string): void {
    const now = performance.now();
    if (now < this.#next) return;
    this.#next = now + (this.#err.isTerminal ? TERMINAL_MS : NEXT_LINE_MS);
    this.#err.passing(text);
  }

  /** Takes the line away. */
  end(): void {
    this.#err.passing('');
  }
}
