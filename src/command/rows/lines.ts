import { isUtf8 } from 'node:buffer';
import { accessSync, constants, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { UnreadableFileError } from '../problems.ts';
import { oneLine } from '../text.ts';

/** Bytes read at once. */
const CHUNK_BYTES = 1 << 16;
/** Longest line that is read: JSON.parse needs the whole line as one text, which V8 limits. */
const LINE_MAX_BYTES = 1 << 28;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';

/** One line of a file: its text, or why there is none. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  /** Set when the line's bytes are no text. */
  readonly fault?: string;
  /** The file ended before the line did. */
  readonly open?: boolean;
}

/** Why `file` cannot be read, with the remedy; `undefined` when it can. */
export function unreadable(file: string): string | undefined {
  try {
    if (statSync(file).isDirectory()) return `${oneLine(file)}: is a directory; name the .jsonl files in it`;
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    return `${oneLine(file)}: ${reasonOf(error)}`;
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'no such file; check the path';
    case 'EACCES':
    case 'EPERM':
      return 'no permission to read it';
    default:
      return `cannot be read (${oneLine(error instanceof Error ? error.message : String(error))})`;
  }
}

/**
 * The lines of `file`, without those that hold only white space, as many at a time as one read gave. Lines end in LF or
 * CRLF; a byte order mark is skipped. No more of the file is held than one read and one unfinished line.
 *
 * @throws UnreadableFileError when the file cannot be opened or a read fails
 */
export async function* lineBatches(file: string): AsyncGenerator<readonly Line[]> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const splitter = new LineSplitter();
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) break;
      const lines = splitter.feed(buffer.subarray(0, bytesRead));
      if (lines.length > 0) yield lines;
    }
    const last = splitter.finish();
    if (last.length > 0) yield last;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new UnreadableFileError(`${oneLine(file)}: ${reasonOf(error)}`, { cause: error });
  } finally {
    await handle?.close();
  }
}

/** Cuts bytes into lines; the start of a line whose end is not read yet waits in one buffer that is used again. */
class LineSplitter {
  #number = 0;
  #held = Buffer.allocUnsafe(CHUNK_BYTES);
  /** Bytes of the unfinished line; over the limit they are counted and no longer held. */
  #heldBytes = 0;

  feed(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      if (this.#heldBytes === 0) {
        this.#add(lines, chunk, start, end);
      } else {
        this.#hold(chunk, start, end);
        this.#addHeld(lines, false);
      }
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk, start, chunk.length);
    return lines;
  }

  finish(): Line[] {
    const lines: Line[] = [];
    if (this.#heldBytes > 0) this.#addHeld(lines, true);
    return lines;
  }

  #hold(chunk: Buffer, start: number, end: number): void {
    const bytes = this.#heldBytes + end - start;
    if (bytes > LINE_MAX_BYTES) {
      this.#held = Buffer.allocUnsafe(CHUNK_BYTES);
    } else {
      if (bytes > this.#held.length) this.#grow(bytes);
      chunk.copy(this.#held, this.#heldBytes, start, end);
    }
    this.#heldBytes = bytes;
  }

  #grow(bytes: number): void {
    const larger = Buffer.allocUnsafe(Math.min(bytes * 2, LINE_MAX_BYTES));
    this.#held.copy(larger, 0, 0, this.#heldBytes);
    this.#held = larger;
  }

  #addHeld(lines: Line[], open: boolean): void {
    if (this.#heldBytes > LINE_MAX_BYTES) {
      this.#number += 1;
      lines.push({ number: this.#number, text: '', fault: `longer than ${LINE_MAX_BYTES >> 20} MiB; left out` });
    } else {
      this.#add(lines, this.#held, 0, this.#heldBytes, open);
    }
    this.#heldBytes = 0;
  }

  #add(lines: Line[], bytes: Buffer, start: number, end: number, open = false): void {
    this.#number += 1;
    let text = bytes.toString('utf8', start, end);
    if (this.#number === 1 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    if (text.includes('\ufffd') && !isUtf8(bytes.subarray(start, end))) {
      lines.push({ number: this.#number, text: '', fault: foreignBytes(bytes.subarray(start, end)), open });
    } else if (/\S/.test(text)) {
      lines.push(open ? { number: this.#number, text, open } : { number: this.#number, text });
    }
  }
}

/** What bytes that are not UTF-8 probably are. */
function foreignBytes(bytes: Buffer): string {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'compressed with gzip; unpack the file first (gunzip -k FILE)';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'UTF-16; convert the file first (iconv -f UTF-16 -t UTF-8 FILE)';
  return 'not UTF-8; the file is damaged, or no JSON lines';
}
