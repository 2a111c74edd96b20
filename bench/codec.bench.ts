/**
 * What the codec costs, as ratios to what Node itself needs for the same: `npx tsx bench/codec.bench.ts`. Both sides of
 * a ratio run in turns, in the same process; the figure is the median of the rounds, with the quartiles beside it.
 */
import { failureReportFor } from '../src/failures/cause-chain.ts';
import { NgFailureEvent } from '../src/failures/ng-failure-event.ts';
import { FailureReport } from '../src/records/failure-report.ts';
import { FailureHeader } from '../src/transport/header.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 61);
const ROUND_MS = 15;

interface Case {
  readonly name: string;
  readonly subject: () => unknown;
  readonly baseline: () => unknown;
  /** Highest ratio that the budget allows; absent where there is none. */
  readonly budget?: number;
}

/** A report whose JSON is close to `bytes`: a chain, as a failed rollout leaves it. */
function reportOf(bytes: number, reason: string): FailureReport {
  let cause: unknown = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', status: 502 });
  for (;;) {
    const error = new NgFailureEvent({
      boundary: 'model',
      failureKind: 'transport_peer_drop',
      failureReason: reason,
      stage: 'agent',
      operation: 'responses',
      httpStatus: 502,
      details: { model: 'policy', attempt: 2, retry_after_s: 0.5 },
      cause,
    });
    const report = failureReportFor(error);
    if (JSON.stringify(report).length > bytes) return failureReportFor(cause);
    cause = error;
  }
}

function threeErrors(): Error {
  return new Error('outer', { cause: new Error('middle', { cause: new Error('inner') }) });
}

function cases(): Case[] {
  const plain = reportOf(4096, 'upstream dropped the connection');
  const wide = reportOf(4096, 'Verbindung getrennt – 接続が切れました');
  const record = plain.toJSON();
  const wideRecord = wide.toJSON();
  const text = FailureHeader.encode(plain)[FailureHeader.NAME] ?? '';
  const emojiText = text.replaceAll('upstream', '\\ud83d\\ude00');
  const data: unknown = JSON.parse(text);
  const chain = new NgFailureEvent({
    boundary: 'agent',
    failureKind: 'agent_run_error',
    failureReason: 'the agent broke',
    cause: new NgFailureEvent({
      boundary: 'model',
      failureKind: 'transport_timeout',
      failureReason: 'no answer',
      cause: new Error('read timed out'),
    }),
  });
  return [
    {
      name: 'encode 4 KB / JSON.stringify',
      subject: () => FailureHeader.encode(plain),
      baseline: () => JSON.stringify(record),
      budget: 1.5,
    },
    {
      name: 'encode, not ASCII / JSON.stringify',
      subject: () => FailureHeader.encode(wide),
      baseline: () => JSON.stringify(wideRecord),
    },
    {
      name: 'decode 4 KB / JSON.parse',
      subject: () => FailureHeader.decode({ [FailureHeader.NAME]: text }),
      baseline: () => JSON.parse(text),
      budget: 1.8,
    },
    {
      name: 'decode, surrogate pairs / JSON.parse',
      subject: () => FailureHeader.decode({ [FailureHeader.NAME]: emojiText }),
      baseline: () => JSON.parse(emojiText),
    },
    {
      name: 'FailureReport.parse / JSON.parse',
      subject: () => FailureReport.parse(data),
      baseline: () => JSON.parse(text),
    },
    { name: 'failureReportFor / three errors', subject: () => failureReportFor(chain), baseline: threeErrors },
  ];
}

/** Nanoseconds of CPU a call, so that whatever else the machine does counts little. */
function timed(fn: () => unknown, calls: number): number {
  const start = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) kept = fn();
  const { user, system } = process.cpuUsage(start);
  return ((user + system) * 1000) / calls;
}

/** Keeps results alive, so that no call is optimised away. */
let kept: unknown;

function callsFor(fn: () => unknown): number {
  timed(fn, 2000);
  return Math.max(10, Math.round((ROUND_MS * 1e6) / timed(fn, 2000)));
}

function quartiles(values: readonly number[]): [low: number, median: number, high: number] {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  return [at(0.25), at(0.5), at(0.75)];
}

let overBudget = false;
for (const { name, subject, baseline, budget } of cases()) {
  const calls = [callsFor(subject), callsFor(baseline)] as const;
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    // Each goes first in every other round.
    const first = round % 2 === 0 ? timed(subject, calls[0]) : 0;
    const base = timed(baseline, calls[1]);
    const own = first || timed(subject, calls[0]);
    return { ratio: own / base, own };
  });
  const [low, median, high] = quartiles(rounds.map(({ ratio }) => ratio));
  const [, ns] = quartiles(rounds.map(({ own }) => own));
  const over = budget !== undefined && median > budget;
  overBudget ||= over;
  const limit = budget === undefined ? '' : `  budget ${budget}${over ? '  OVER' : ''}`;
  const spread = `${low.toFixed(2)}–${high.toFixed(2)}`;
  process.stdout.write(
    `${name.padEnd(38)} ${median.toFixed(2).padStart(6)}  (${spread})  ${(ns / 1000).toFixed(1)} µs${limit}\n`,
  );
}
if (kept === undefined) process.stdout.write('nothing was measured\n');
process.exitCode = overBudget ? 1 : 0;
