/**
 * What a server did for each request, in a file that outlives it: a line is there once it is written, also when the
 * process is killed in the next moment.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Beside ids a ledger holds how things ended. */
export const REPLY_CUT = '=cut';
/** The call to another server broke off. */
export const CALL_CUT = '=call-cut';
/** The head of that server's reply had come. */
export const CALL_ANSWERED = '=call-answered';

type Ending = typeof REPLY_CUT | typeof CALL_CUT | typeof CALL_ANSWERED;

export class Ledger {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  /** Notes that request number `n` raised a failure of this id, or how something of it ended. */
  note(n: string, word: string): void {
    writeSync(this.#file, `${n} ${word}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** A ledger as it was read: the ids that each request raised, and the requests of which each ending was noted. */
export interface Entries {
  readonly raised: ReadonlyMap<number, readonly string[]>;
  readonly ended: Readonly<Record<Ending, ReadonlySet<number>>>;
}

export function readLedger(path: string): Entries {
  const raised = new Map<number, string[]>();
  const ended = {
    [REPLY_CUT]: new Set<number>(),
    [CALL_CUT]: new Set<number>(),
    [CALL_ANSWERED]: new Set<number>(),
  };
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const [number = '', word = ''] = line.split(' ');
    const n = Number(number);
    if (word === REPLY_CUT || word === CALL_CUT || word === CALL_ANSWERED) ended[word].add(n);
    else raised.set(n, [...(raised.get(n) ?? []), word]);
  }
  return { raised, ended };
}
