/** Holds what servers raised against what the client saw: each id is delivered, flagged, cut by a fault, or lost. */
import { isPeerIdOf } from './kinds.ts';
import { CALL_ANSWERED, CALL_CUT, type Entries, REPLY_CUT, readLedger } from './ledger.ts';
import type { Seen } from './seen.ts';

/** The ledgers of a run. */
export interface Ledgers {
  readonly server: string;
  /** One for each life of the next server, in their order. */
  readonly next: readonly string[];
}

export interface Tally {
  readonly raised: number;
  readonly fromPeer: number;
  readonly delivered: number;
  readonly omitted: number;
  /** Their reply, or the reply of the server below, was cut by a fault, and both sides say so. */
  readonly cut: number;
  readonly lost: number;
  readonly astray: number;
  readonly wrongOmitted: number;
  readonly examples: readonly string[];
}

export function settle(sights: ReadonlyMap<number, Seen>, ledgers: Ledgers): Tally {
  const server = readLedger(ledgers.server);
  const lives = ledgers.next.map(readLedger);
  const tally = { raised: 0, fromPeer: 0, delivered: 0, omitted: 0, cut: 0, lost: 0, astray: 0, wrongOmitted: 0 };
  const examples: string[] = [];
  const complain = (text: string): void => {
    if (examples.length < 10) examples.push(text);
  };

  /** @param isCutBelow - whether the reply that held it never came to the server under test */
  const judge = (n: number, id: string, isCutBelow: boolean): void => {
    const seen = sights.get(n);
    if (seen === undefined) {
      tally.lost += 1;
      complain(`request ${n} raised ${id}, and was never sent`);
    } else if (seen.ids.has(id)) tally.delivered += 1;
    else if (seen.omitted) tally.omitted += 1;
    else if (seen.end === 'gave-up' || (seen.end === 'broke' && server.ended[REPLY_CUT].has(n)) || isCutBelow) {
      tally.cut += 1;
    } else {
      tally.lost += 1;
      complain(`request ${n}: ${id} is lost, its reply was ${seen.end}`);
    }
  };

  for (const [n, ids] of server.raised) {
    tally.raised += ids.length;
    for (const id of ids) judge(n, id, false);
  }
  for (const [life, entries] of lives.entries()) {
    // The last life ends with the run; each one before was killed.
    const wasKilled = life < lives.length - 1;
    for (const [n, ids] of entries.raised) {
      tally.raised += ids.length;
      const isCut = server.ended[CALL_CUT].has(n) && (wasKilled || entries.ended[REPLY_CUT].has(n));
      for (const id of ids) judge(n, id, isCut);
    }
  }
  for (const [n, seen] of sights) {
    tally.fromPeer += seen.expected.length;
    const cameTooLate = seen.kind?.endless === true && !server.ended[CALL_ANSWERED].has(n);
    const isCut = server.ended[CALL_CUT].has(n) && (seen.kind?.resets === true || cameTooLate);
    for (const id of seen.expected) judge(n, id, isCut);
    const strangers = [...seen.ids].filter((id) => !isPeerIdOf(n, id) && !isRaisedBy([server, ...lives], n, id));
    tally.astray += strangers.length;
    if (strangers.length > 0) complain(`request ${n} got ${strangers.slice(0, 3)} of another`);
    if (seen.end !== 'whole') continue;
    if (seen.omitted ? seen.verdict !== 'never' : seen.verdict !== 'must') continue;
    tally.wrongOmitted += 1;
    complain(`request ${n} ${seen.omitted ? 'says' : 'does not say'} omitted`);
  }
  return { ...tally, examples };
}

function isRaisedBy(ledgers: readonly Entries[], n: number, id: string): boolean {
  return ledgers.some(({ raised }) => raised.get(n)?.includes(id) === true);
}
