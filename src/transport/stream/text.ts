/** Text is turned into bytes in pieces of so many code units, so that a long capture is never copied as a whole. */
const PIECE_UNITS = 16 * 1024;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** A lone surrogate as UTF-8 would write it if it could: no valid UTF-8, and as long as what usually replaces it. */
const NOT_UTF8 = Buffer.from([0xed, 0xa0, 0x80]);

/** Turns text into bytes; a surrogate pair may be cut in two, a surrogate that stays alone becomes invalid UTF-8. */
export class TextBytes {
  /** The first half of a pair whose second half may come with the next text. */
  #high = '';

  /** Gives `take` the bytes of `text`, but for a first half of a pair at its end. */
  write(text: string, take: (bytes: Uint8Array) => void): void {
    for (let at = 0; at < text.length; at += PIECE_UNITS) {
      const piece = this.#high + text.slice(at, at + PIECE_UNITS);
      const cut = isHighSurrogate(piece.charCodeAt(piece.length - 1)) ? piece.length - 1 : piece.length;
      this.#high = piece.slice(cut);
      encode(piece.slice(0, cut), take);
    }
  }

  /** No more text follows: half a pair stays alone. */
  end(take: (bytes: Uint8Array) => void): void {
    if (this.#high !== '') take(NOT_UTF8);
    this.#high = '';
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function encode(text: string, take: (bytes: Uint8Array) => void): void {
  if (text.isWellFormed()) {
    take(Buffer.from(text));
    return;
  }
  for (const [index, part] of text.split(LONE_SURROGATE).entries()) {
    if (index > 0) take(NOT_UTF8);
    take(Buffer.from(part));
  }
}
