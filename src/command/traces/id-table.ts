/** 32-bit words of an id of 32 hex digits. */
const WORDS = 4;
const NOT_FOUND = -1;

/**
 * Numbers ids from 0 in the order in which they are met. An id of 32 lower-case hex digits, which nearly all are, takes
 * 24 bytes here; as a key of a Map it would take 100, and memory is what limits a reconciliation.
 */
export class IdTable {
  /** The words of each number's id; zeros where the id is another text. */
  #words = new Uint32Array(WORDS * 1024);
  /** Open addressing: number + 1 of the id, 0 where free; a power of two, at most half full. */
  #slots = new Int32Array(2048);
  #size = 0;
  readonly #numberOfText = new Map<string, number>();
  readonly #textOfNumber = new Map<number, string>();
  /** The words of the id in hand. */
  readonly #now = new Uint32Array(WORDS);
  /** Ids come from other machines: nobody can choose them so that they meet in one slot. */
  readonly #seed = (Math.random() * 2 ** 32) | 0;

  /** Ids in the table. */
  get size(): number {
    return this.#size;
  }

  /** The id's number; -1 when it is not in the table. */
  find(id: string): number {
    if (!this.#readHex(id)) return this.#numberOfText.get(id) ?? NOT_FOUND;
    return (this.#slots[this.#slot()] ?? 0) - 1;
  }

  /** The id's number, a new one when it is not in the table. */
  add(id: string): number {
    const known = this.find(id);
    if (known !== NOT_FOUND) return known;
    const number = this.#size;
    if ((number + 1) * WORDS > this.#words.length) this.#grow();
    this.#size += 1;
    if (this.#readHex(id)) {
      this.#words.set(this.#now, number * WORDS);
      this.#slots[this.#slot()] = number + 1;
    } else {
      this.#numberOfText.set(id, number);
      this.#textOfNumber.set(number, id);
    }
    return number;
  }

  /** The id that has this number. */
  idOf(number: number): string {
    const text = this.#textOfNumber.get(number);
    if (text !== undefined) return text;
    const words = this.#words.subarray(number * WORDS, (number + 1) * WORDS);
    return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
  }

  /** Puts the words of `id` in hand; false when it is not 32 lower-case hex digits. */
  #readHex(id: string): boolean {
    if (id.length !== WORDS * 8) return false;
    for (let word = 0; word < WORDS; word += 1) {
      let value = 0;
      for (let at = word * 8; at < word * 8 + 8; at += 1) {
        const code = id.charCodeAt(at);
        if (code >= 0x30 && code <= 0x39) value = (value << 4) | (code - 0x30);
        else if (code >= 0x61 && code <= 0x66) value = (value << 4) | (code - 0x57);
        else return false;
      }
      this.#now[word] = value;
    }
    return true;
  }

  /** Where the id in hand is, or the free slot where it belongs. */
  #slot(): number {
    const mask = this.#slots.length - 1;
    let slot = this.#hash() & mask;
    for (;;) {
      const number = (this.#slots[slot] ?? 0) - 1;
      if (number === NOT_FOUND || this.#isNow(number)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #isNow(number: number): boolean {
    for (let word = 0; word < WORDS; word += 1) {
      if (this.#words[number * WORDS + word] !== this.#now[word]) return false;
    }
    return true;
  }

  #hash(): number {
    let hash = this.#seed;
    for (const word of this.#now) {
      hash = Math.imul(hash ^ word, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2);
    words.set(this.#words);
    this.#words = words;
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let number = 0; number < this.#size; number += 1) {
      if (this.#textOfNumber.has(number)) continue;
      this.#now.set(words.subarray(number * WORDS, (number + 1) * WORDS));
      this.#slots[this.#slot()] = number + 1;
    }
  }
}
