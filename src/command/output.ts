import { type Style, styleFor } from './text.ts';

/** Text that is written at once. */
const BLOCK_CHARS = 1 << 16;

/** To the start of the line, and what stands on it away. */
const CLEAR_LINE = '\r\u001b[K';

/** What of a stream is needed: those of the process are terminals or not. */
export interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?(): boolean;
}

/** A standard stream, written in large blocks. A reader that goes away (`| head`) closes it quietly. */
export class Output {
  readonly style: Style;
  /** Whether the cursor can be moved. */
  readonly isTerminal: boolean;
  readonly #stream: OutputStream;
  #pending = '';
  /** Whether a passing text stands on the terminal's line. */
  #hasPassing = false;
  /** Ends the wait for a slow reader. */
  #resume = (): void => {};
  /** Whether nobody reads any more. */
  closed = false;

  constructor(stream: OutputStream) {
    this.#stream = stream;
    this.style = styleFor({ isTTY: stream.isTTY === true, hasColors: () => stream.hasColors?.() === true });
    this.isTerminal = stream.isTTY === true && process.env.TERM !== 'dumb';
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

  /** Shows one line at once: on a terminal the next text takes its place, an empty one takes it away. */
  passing(text: string): void {
    if (this.closed || (text === '' && !this.#hasPassing)) return;
    const before = this.#pending;
    this.#pending = '';
    if (!this.isTerminal) {
      this.#stream.write(`${before}${text}\n`);
      return;
    }
    const room = Math.max(20, (this.#stream.columns || 80) - 1);
    this.#stream.write(`${this.#hasPassing ? CLEAR_LINE : ''}${before}${text.slice(0, room)}`);
    this.#hasPassing = text !== '';
  }

  /** Writes what has come together, once it is much; waits while the reader is slow. */
  async drain(): Promise<void> {
    if (this.#pending.length >= BLOCK_CHARS) await this.flush();
  }

  /** Writes everything. */
  async flush(): Promise<void> {
    if (this.#pending !== '' && this.#hasPassing) this.passing('');
    const text = this.#pending;
    this.#pending = '';
    if (text === '' || this.closed || this.#stream.write(text)) return;
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
    });
  }
}
