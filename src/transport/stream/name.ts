import { QUOTED_FIELD, type StreamScan } from './scan.ts';

/** So many bytes can be the start of a name that a cut divides. */
const EDGE = QUOTED_FIELD.length - 1;

/** Whether one line holds the quoted field name, also where the line comes in several stretches. */
export class LineNameSearch {
  /** The line's last bytes so far and, while it is searched, the first of the stretch that goes on. */
  readonly #edge = Buffer.alloc(2 * EDGE);
  #edgeLength = 0;

  /** A new line begins. */
  reset(): void {
    this.#edgeLength = 0;
  }

  /** Whether the name stands in the line's bytes `from`–`to` or across their start. */
  found(scan: StreamScan, from: number, to: number): boolean {
    return this.#acrossStart(scan.bytes, from, to) || scan.name(from) + QUOTED_FIELD.length <= to;
  }

  /** Remembers the end of a stretch; called after {@link found} when the line goes on in the next one. */
  keepEdge(bytes: Buffer, from: number, to: number): void {
    if (to - from >= EDGE) {
      this.#edgeLength = bytes.copy(this.#edge, 0, to - EDGE, to);
      return;
    }
    const length = this.#edgeLength + bytes.copy(this.#edge, this.#edgeLength, from, to);
    const kept = Math.min(length, EDGE);
    this.#edge.copyWithin(0, length - kept, length);
    this.#edgeLength = kept;
  }

  #acrossStart(bytes: Buffer, from: number, to: number): boolean {
    if (this.#edgeLength === 0) return false;
    const length = this.#edgeLength + bytes.copy(this.#edge, this.#edgeLength, from, Math.min(to, from + EDGE));
    return this.#edge.subarray(0, length).includes(QUOTED_FIELD);
  }
}
