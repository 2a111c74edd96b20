/**
 * What the codec costs, beside what Node itself needs for the same. Both sides of a ratio run in turns, in one process.
 */
import {
  FailureHeader,
  type FailureReport,
  failureReportFor,
  NgFailureEvent,
} from 'opentelemetry-instrumentation-nemo-gym';
import type { RowId } from './report/rows.ts';
import { cpuSeconds, handIn, inTurns, rounds } from './support/measure.ts';

const ROUND_S = 0.015;
const ROUNDS = rounds(61, 15);

/** Keeps results alive, so that no call is optimised away. */
let kept: unknown;

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

function compare(id: RowId, subject: () => unknown, baseline: () => unknown): void {
  const works = [subject, baseline].map((work) => {
    const calls = callsFor(work);
    return () => repeated(work, calls) / calls;
  });
  const taken = inTurns(works, ROUNDS, 2);
  handIn(
    id,
    taken.map(([own = Number.NaN, base = Number.NaN]) => own / base),
  );
}

function repeated(work: () => unknown, calls: number): number {
  return cpuSeconds(() => {
    for (let call = 0; call < calls; call += 1) kept = work();
  });
}

function callsFor(work: () => unknown): number {
  repeated(work, 2000);
  return Math.max(10, Math.round((ROUND_S * 2000) / repeated(work, 2000)));
}

const plain = reportOf(4096, 'upstream dropped the connection');
const wide = reportOf(4096, 'Verbindung getrennt – 接続が切れました');
const [record, wideRecord] = [plain.toJSON(), wide.toJSON()];
const text = FailureHeader.encode(plain)[FailureHeader.NAME] ?? '';
const pairs = text.replaceAll('upstream', '\\ud83d\\ude00');
const decoded = (value: string): unknown => FailureHeader.decode({ [FailureHeader.NAME]: value });
if (decoded(text) === undefined || decoded(pairs) === undefined) throw new Error('a report of the bench is no report');
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

compare(
  'codec.encode',
  () => FailureHeader.encode(plain),
  () => JSON.stringify(record),
);
compare(
  'codec.encode-wide',
  () => FailureHeader.encode(wide),
  () => JSON.stringify(wideRecord),
);
compare(
  'codec.decode',
  () => decoded(text),
  () => JSON.parse(text),
);
compare(
  'codec.decode-pairs',
  () => decoded(pairs),
  () => JSON.parse(pairs),
);
compare('codec.chain', () => failureReportFor(chain), threeErrors);
if (kept === undefined) throw new Error('nothing was measured');
