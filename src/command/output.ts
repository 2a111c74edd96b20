import { type Style, styleFor } from './text.ts';

/** Text that is written at once. */
const BLOCK_CHARS = 1 << 16;

/** A standard stream, written in large blocks. A reader that goes away (`| head`) closes it quietly. */
export class Output {
  readonly style: Style;
  readonly #stream: NodeJS.WriteStream;
  #pending = '';
  /** Ends the wait for a slow reader. */
  #resume = (): void => {};
  /** Whether nobody reads any more. */
  closed = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.style = styleFor(stream);
    stream.on('drain', () => this.#resume());
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.closed = true;
      this.#resume();
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
    });
  }

  write(text: string): void {
    this.#pending += text;
  }

  /** Writes what has come together, once it is much; waits while the reader is slow. */
  async drain(): Promise<void> {
    if (this.#pending.length >= BLOCK_CHARS) await this.flush();
  }

  /** Writes everything. */
  async flush(): Promise<void> {
    const text = this.#pending;
    this.#pending = '';
    if (text === '' || this.closed || this.#stream.write(text)) return;
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
    });
  }
}
