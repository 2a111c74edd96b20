/** What a reply reports, read by the wire's rules without the package, and held against what its app told. */
import type { Told, Verdict } from './messages.ts';

export const tally = {
  /** Replies that the client read to their end. */
  whole: 0,
  delivered: 0,
  /** Ids of replies that said omitted. */
  omitted: 0,
  /** Neither in the reply nor flagged. */
  lost: 0,
  /** In a reply whose request has nothing to do with them. */
  astray: 0,
  /** A reply that said omitted without a reason, or did not say so with one. */
  wrongOmitted: 0,
};
export const examples: string[] = [];

interface Seen {
  readonly ids: Set<string>;
  omitted: boolean;
}

function see(seen: Seen, report: unknown): void {
  if (typeof report !== 'object' || report === null) return;
  if ('omitted' in report) seen.omitted = true;
  if ('events' in report) for (const id of Object.keys(report.events ?? {})) seen.ids.add(id);
}

/** `headers` are the values of the report's header; `body` is a JSON reply or a stream. */
export function check(what: string, headers: readonly string[], body: string): void {
  const seen: Seen = { ids: new Set(), omitted: false };
  for (const value of headers) see(seen, JSON.parse(value));
  const told = body.startsWith('{') ? asTold(JSON.parse(body)) : fromStream(seen, body);
  tally.whole += 1;
  const missing = told.raised.filter((id) => !seen.ids.has(id));
  const astray = [...seen.ids].filter((id) => !told.raised.includes(id));
  tally.delivered += told.raised.length - missing.length;
  if (seen.omitted) tally.omitted += missing.length;
  else tally.lost += missing.length;
  tally.astray += astray.length;
  const wrong = seen.omitted ? told.omitted === 'never' : told.omitted === 'must';
  if (wrong) tally.wrongOmitted += 1;
  const isOff = wrong || astray.length > 0 || (missing.length > 0 && !seen.omitted);
  if (isOff && examples.length < 5) {
    examples.push(
      `${what}: told ${JSON.stringify(told).slice(0, 600)}, the reply said ${[...seen.ids].slice(0, 8)}` +
        `${seen.omitted ? ' and omitted' : ''}`,
    );
  }
}

/** A stream tells in its last event, in the same one as the report. */
function fromStream(seen: Seen, body: string): Told {
  const data = body.trimEnd().split('\n').at(-1) ?? '';
  const event: unknown = JSON.parse(data.slice('data: '.length));
  if (typeof event !== 'object' || event === null || !('told' in event)) throw new Error(`no account in ${data}`);
  if ('nemo_gym_failure_report' in event) see(seen, event.nemo_gym_failure_report);
  return asTold(event.told);
}

function asTold(value: unknown): Told {
  if (typeof value !== 'object' || value === null || !('raised' in value) || !('omitted' in value)) {
    throw new Error('no account');
  }
  const raised = Array.isArray(value.raised) ? value.raised.map(String) : [];
  return { raised, omitted: value.omitted as Verdict };
}
