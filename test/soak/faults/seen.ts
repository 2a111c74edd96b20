/** What a client saw of each reply, read by the wire's rules without the package. */
import type { Verdict } from '../messages.ts';
import type { PeerKind } from './kinds.ts';

/** How a reply ended: all of it came, the client gave it up, or it broke off. */
export type End = 'whole' | 'gave-up' | 'broke';

/** What was to come of a request, and what came. */
export interface Seen {
  readonly ids: ReadonlySet<string>;
  readonly omitted: boolean;
  readonly end: End;
  /** Ids that the peer sent for certain, besides those in ledgers. */
  readonly expected: readonly string[];
  readonly verdict: Verdict;
  /** The peer may have taken them back by a reset, or not have sent them within the call's time limit. */
  readonly kind: Pick<PeerKind, 'resets' | 'endless'> | undefined;
}

/** The ids and the flag in a reply's head and body, as far as they came. */
export function reportsIn(values: readonly string[], body: string): Pick<Seen, 'ids' | 'omitted'> {
  const ids = new Set<string>();
  let omitted = false;
  const add = (report: unknown): void => {
    if (typeof report !== 'object' || report === null) return;
    if ('omitted' in report) omitted = true;
    if ('events' in report) for (const id of Object.keys(report.events ?? {})) ids.add(id);
  };
  for (const value of values) add(JSON.parse(value));
  for (const [, data = ''] of body.matchAll(/^data: (\{.*nemo_gym_failure_report.*\})$/gm)) {
    const event: unknown = JSON.parse(data);
    if (typeof event !== 'object' || event === null) continue;
    if ('nemo_gym_failure_report' in event) add(event.nemo_gym_failure_report);
  }
  return { ids, omitted };
}

/** A reply as its bytes came over a raw socket. */
export interface RawReply {
  readonly status: number;
  readonly values: readonly string[];
  readonly body: string;
  readonly isWhole: boolean;
}

/** Reads a reply's bytes; `undefined` where not even its head is whole. */
export function rawReply(text: string): RawReply | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const rest = text.slice(end + 4);
  const values = [...head.matchAll(/^x-ng-failure-report: (.*)$/gim)].map(([, value = '']) => value);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  if (!/^transfer-encoding: chunked$/im.test(head)) {
    return { status, values, body: rest, isWhole: length !== undefined && rest.length === Number(length) };
  }
  let body = '';
  for (let at = 0; ; ) {
    const line = rest.indexOf('\r\n', at);
    const size = line < 0 ? Number.NaN : Number.parseInt(rest.slice(at, line), 16);
    if (Number.isNaN(size) || rest.length < line + 2 + size + 2) return { status, values, body, isWhole: false };
    if (size === 0) return { status, values, body, isWhole: true };
    body += rest.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
}
