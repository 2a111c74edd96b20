import { counted, oneLine } from './text.ts';

/** A file, or another source, that cannot be read at all; the command ends with exit code 2. */
export class UnreadableFileError extends Error {
  override readonly name: string = 'UnreadableFileError';
}

/** Bad lines of one file that are named; the others are counted. */
const SHOWN_PER_FILE = 10;

/** What was wrong with the input. It goes to stderr as it is met, and the exit code tells of it. */
export class Problems {
  readonly #write: (text: string) => void;
  readonly #badLines = new Map<string, number>();
  /** Lines that could not be read, over all files. */
  badLines = 0;
  /** Places of traces that could not be read whole. */
  cuts = 0;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** A line that is left out. */
  badLine(file: string, line: number, what: string): void {
    const count = (this.#badLines.get(file) ?? 0) + 1;
    this.#badLines.set(file, count);
    this.badLines += 1;
    if (count <= SHOWN_PER_FILE) this.#write(`${oneLine(file)}:${line}: ${what}\n`);
  }

  /** A part of the traces that is left out. */
  cut(source: string, what: string): void {
    this.cuts += 1;
    this.note(source, what);
  }

  /** Something that a person should know and that changes no exit code. */
  note(file: string, what: string): void {
    this.#write(`${oneLine(file)}: ${what}\n`);
  }

  /** Says how many bad lines of `file` were not named. */
  endOf(file: string): void {
    const more = (this.#badLines.get(file) ?? 0) - SHOWN_PER_FILE;
    if (more > 0) this.#write(`${oneLine(file)}: and ${counted(more, 'more line')} that cannot be read\n`);
  }
}
