/** Bytes of one piece; small enough for many readers, large enough for few pieces. */
const PIECE_BYTES = 16 * 1024;
/** Pieces that stay for the next event. */
const SPARE_PIECES = 8;

/** Bytes that grow at their end and are never copied while they grow: no garbage, and no more memory than they need. */
export class HeldBytes {
  #pieces: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at < to; ) {
      const offset = this.#length % PIECE_BYTES;
      const piece = this.#pieceAt(this.#length);
      // As much as the piece has room for.
      const copied = bytes.copy(piece, offset, at, to);
      this.#length += copied;
      at += copied;
    }
  }

  appendByte(byte: number): void {
    this.#pieceAt(this.#length)[this.#length % PIECE_BYTES] = byte;
    this.#length += 1;
  }

  /** Forgets what was appended after the first `length` bytes. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Forgets everything; a few pieces stay for what comes next. */
  clear(): void {
    this.#length = 0;
    this.#pieces.length = Math.min(this.#pieces.length, SPARE_PIECES);
  }

  /** What is held, in one stretch; good until the next change. */
  bytes(): Buffer {
    const [first] = this.#pieces;
    if (first !== undefined && this.#length <= PIECE_BYTES) return first.subarray(0, this.#length);
    return Buffer.concat(this.#pieces, this.#length);
  }

  #pieceAt(length: number): Buffer {
    const index = Math.floor(length / PIECE_BYTES);
    let piece = this.#pieces[index];
    if (piece === undefined) {
      piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
      this.#pieces[index] = piece;
    }
    return piece;
  }
}
