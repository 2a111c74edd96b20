import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { withoutSecrets } from '../../src/failures/secrets.ts';
import { deserializeFailure, FailureHeader, FailureReport, rebuildFailure } from '../../src/index.ts';
import { runCommand } from '../support/command-run.ts';
import { attempt, jsonl } from '../support/rows.ts';
import { exportOf, span, spanEvent } from '../support/rows-traces.ts';

const dir = mkdtempSync(join(tmpdir(), 'ng-growth-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** What four times the data may cost: linear work four times as much, quadratic sixteen times; the rest is noise. */
const MOST = 9;
/** Below it a measurement says more of the machine than of the work. */
const LEAST_SECONDS = 0.02;

/** Seconds of CPU, the best of three: other programs run on the machine too. */
async function bestSeconds(work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1e6);
  }
  return best;
}

async function expectLinear(size: number, workOf: (size: number) => () => unknown): Promise<void> {
  const small = await bestSeconds(workOf(size));
  const large = await bestSeconds(workOf(4 * size));
  const ratio = large / Math.max(small, LEAST_SECONDS);
  expect(ratio, `${small} s became ${large} s`).toBeLessThan(MOST);
}

const list = <T>(size: number, make: (index: number) => T): T[] =>
  Array.from({ length: size }, (_, index) => make(index));
const mapOf = (events: readonly { event_id: string }[]): object =>
  Object.fromEntries(events.map((event) => [event.event_id, event]));

const chain = (size: number): object =>
  mapOf(list(size, (index) => attempt(`e${index}`, index + 1 < size ? { cause_id: `e${index + 1}` } : {})));
const star = (size: number): object =>
  mapOf(list(size, (index) => attempt(`e${index}`, index > 0 ? { cause_id: 'e0' } : {})));
/** The plain check refuses them, and zod reads each. */
const odd = (size: number): object =>
  mapOf(list(size, (index) => ({ ...attempt(`e${index}`), stage: null, more: { a: [index] } })));

/** A report as its text. */
const REPORTS: readonly (readonly [what: string, size: number, textOf: (size: number) => string])[] = [
  ['one chain of causes', 4000, (size) => JSON.stringify({ failure_id: 'e0', events: chain(size) })],
  ['many causes of one', 4000, (size) => JSON.stringify({ events: star(size) })],
  ['events in another form than the common one', 2000, (size) => JSON.stringify({ events: odd(size) })],
  [
    'wide details',
    40_000,
    (size) =>
      JSON.stringify({
        events: mapOf([attempt('e', { details: Object.fromEntries(list(size, (index) => [`k${index}`, index])) })]),
      }),
  ],
  ['a long text', 2_000_000, (size) => JSON.stringify({ events: mapOf([attempt('é'.repeat(size))]) })],
  ['escapes', 400_000, (size) => `{"events":{"e":{"failure_reason":"${'\\\\\\ud83d\\ude00'.repeat(size / 8)}"}}}`],
  [
    'a long name at each level',
    20_000,
    (size) => '{"events":'.concat(`{"${'k'.repeat(size)}":`.repeat(90), '1', '}'.repeat(91)),
  ],
  ['brackets', 200_000, (size) => '['.repeat(size) + ']'.repeat(size)],
  ['braces', 200_000, (size) => '{"a":'.repeat(size) + '1'.concat('}'.repeat(size))],
];

describe('reading a report takes time in proportion to its text', () => {
  it.each(REPORTS)('%s', async (_what, size, textOf) => {
    await expectLinear(size, (length) => {
      const text = textOf(length);
      const value: unknown = JSON.parse(text);
      return () => {
        const report = FailureHeader.decode({ [FailureHeader.NAME]: text });
        rebuildFailure(report);
        FailureHeader.decodeStreamEvent({ [FailureHeader.STREAM_FIELD]: value });
        if (report !== undefined) FailureReport.EMPTY.merge(report).toJSON();
      };
    });
  });

  it('a chain that came from another thread', async () => {
    await expectLinear(5000, (size) => {
      const links = list(size, (index) => ({ event: attempt(`e${index}`) }));
      return () => deserializeFailure({ ng_failure: 1, links });
    });
  });
});

const rollout = (id: string, events: object = {}, more: object = {}): object => ({
  _ng_rollout_id: id,
  ...more,
  _ng_failure_events: events,
});
const hex = (index: number): string => (index + 1).toString(16).padStart(32, '0');
const id16 = (index: number): string => hex(index).slice(16);
const seen = (id: string, kind = 'transport_timeout'): object =>
  spanEvent(attempt(id), { 'nemo.gym.failure.kind': kind });

interface Input {
  readonly rows: readonly object[];
  readonly spans?: readonly object[];
}

/** Rows and spans that are worst for one part or another. */
const INPUTS: readonly (readonly [what: string, size: number, inputOf: (size: number) => Input])[] = [
  ['a row with one long chain', 4000, (size) => ({ rows: [rollout('r', chain(size), { _ng_failure_id: 'e0' })] })],
  ['a row whose events share a cause', 4000, (size) => ({ rows: [rollout('r', star(size))] })],
  [
    'kinds, no two alike',
    4000,
    (size) => ({
      rows: list(size, (index) => rollout(`r${index}`, mapOf([attempt(`e${index}`, { failure_kind: `a:k${index}` })]))),
    }),
  ],
  [
    'a long line',
    4_000_000,
    (size) => ({ rows: [rollout('r'.repeat(size), mapOf([attempt('\u001b'.repeat(size / 8))]))] }),
  ],
  [
    'one event seen in many ways',
    4000,
    (size) => ({
      rows: [rollout('r', mapOf([attempt('e')]))],
      spans: list(size, (index) =>
        span({ traceId: hex(index % 7), rolloutId: 'r', events: [seen('e', `a:k${index}`)] }),
      ),
    }),
  ],
  [
    'many rows of an event that was seen in many ways',
    2000,
    (size) => ({
      rows: list(size, () => rollout('r', mapOf([attempt('e')]))),
      spans: list(size, (index) => span({ traceId: hex(index), rolloutId: 'r', events: [seen('e', `a:k${index}`)] })),
    }),
  ],
  [
    'many rows of a rollout, many ids that only its traces have',
    2000,
    (size) => ({
      rows: list(size, () => rollout('r')),
      spans: list(size, (index) => span({ traceId: hex(index), rolloutId: 'r', events: [seen(`t${index}`)] })),
    }),
  ],
  [
    'many missing ids of a rollout in many traces',
    2000,
    (size) => ({
      rows: list(size, (index) => rollout('r', mapOf([attempt(`m${index}`)]))),
      spans: list(size, (index) => span({ traceId: hex(index), rolloutId: 'r' })),
    }),
  ],
  [
    'a row with many missing ids, in many traces',
    2000,
    (size) => ({
      rows: [rollout('r', mapOf(list(2 * size, (index) => attempt(`m${index}`))))],
      spans: list(size, (index) => span({ traceId: hex(index), rolloutId: 'r', events: [seen(`m${index}`)] })),
    }),
  ],
  [
    'a trace of many rollouts and many ids',
    2000,
    (size) => ({
      rows: [rollout('r')],
      spans: list(size, (index) =>
        span({ traceId: hex(0), spanId: id16(index), rolloutId: `r${index}`, events: [seen(`t${index}`)] }),
      ),
    }),
  ],
  [
    'spans that are each other’s parents in a ring',
    2000,
    (size) => ({
      rows: [rollout('r')],
      spans: [
        span({ traceId: hex(0), rolloutId: 'r0' }),
        span({ traceId: hex(0), rolloutId: 'r1' }),
        ...list(size, (index) =>
          span({
            traceId: hex(0),
            spanId: id16(index),
            parentSpanId: id16((index + 1) % size),
            events: [seen(`t${index}`)],
          }),
        ),
      ],
    }),
  ],
];

describe('each command takes time in proportion to its files', () => {
  it.each(INPUTS)('%s', async (_what, size, inputOf) => {
    await expectLinear(size, (length) => {
      const { rows, spans = [span({ traceId: hex(0) })] } = inputOf(length);
      const [rowsFile, tracesFile] = [join(dir, `rows-${length}.jsonl`), join(dir, `traces-${length}.jsonl`)];
      writeFileSync(rowsFile, jsonl(rows));
      writeFileSync(tracesFile, jsonl(spans.map((one) => exportOf([one]))));
      return async () => {
        await runCommand(['show', rowsFile, '--traces', tracesFile]);
        await runCommand(['summary', rowsFile]);
        await runCommand(['reconcile', rowsFile, '--traces', tracesFile]);
        await runCommand(['reconcile', rowsFile, '--traces', tracesFile, '--json', '--sampled']);
      };
    });
  });
});

it('masking a message that a peer chose takes time in proportion to it', async () => {
  for (const unit of [
    'authorization: ',
    '://a',
    'bearer ',
    'eyJ',
    'api_key":"',
    '"',
    'set-cookie=',
    'basic aB',
    'sk-',
  ]) {
    await expectLinear(100_000, (size) => {
      const text = unit.repeat(size / unit.length);
      return () => withoutSecrets(text);
    });
  }
});
