import { readFileSync } from 'node:fs';
import { trace } from '@opentelemetry/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';
import * as names from '../../src/instrumentation/attributes.ts';
import { failRequest, observeFailure, observeModelOperation } from '../../src/transport/observe.ts';
import { failure } from '../support/http-failures.ts';
import type { Listener } from '../support/http-raw.ts';
import { type Served, serveOne, startTelemetry, type Telemetry } from '../support/telemetry.ts';

const EVENT = 'event';
const SERVER_SPAN = 'server span';
const ACTIVE_SPAN = 'active span';

/** Where each name stands, as the table says: the name, then its places. */
function readTable(): Map<string, { places: Set<string>; type: string }> {
  const text = readFileSync(new URL('../../docs/telemetry.md', import.meta.url), 'utf8');
  const [, table = ''] = /\| name \| on \| type \| is \|\n\| --- .*\n((?:\|.*\n)+)/.exec(text) ?? [];
  const rows = table.trimEnd().split('\n');
  return new Map(
    rows.map((row) => {
      const [, name = '', on = '', type = ''] = row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('`', ''));
      return [name, { places: new Set(on.split(', ')), type }];
    }),
  );
}

let telemetry: Telemetry;
let table: ReturnType<typeof readTable>;
/** What a run that emits everything emitted: each name with its places, and the types of its values. */
const emitted = new Map<string, { places: Set<string>; types: Set<string> }>();

function add(attributes: object, ...places: string[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    const entry = emitted.get(name) ?? { places: new Set(), types: new Set() };
    for (const place of places) entry.places.add(place);
    entry.types.add(typeof value);
    emitted.set(name, entry);
  }
}

const everything: Listener = (_, res) => {
  trace.getTracer('test').startActiveSpan('call', (span) => {
    observeModelOperation({
      operationId: 'op',
      outcome: 'failed',
      finalAttemptId: 'a',
      failureId: 'f',
      httpAttempts: 3,
      transportFailures: 1,
      retryWaitS: 0.5,
      requestElapsedMs: 1200,
    });
    span.end();
  });
  for (let index = 0; index < 70; index += 1) observeFailure(failure(`e${index}`));
  failRequest(
    new NgFailureEvent({
      boundary: 'agent',
      failureKind: 'agent_run_error',
      failureReason: 'it broke',
      stage: 'agent',
      operation: 'run',
      httpStatus: 500,
      cause: Object.assign(new TypeError('foreign'), { cause: failure('cause') }),
    }),
  );
  res.end();
};

/** The names that OpenTelemetry's own HTTP instrumentation puts on the same span are not ours. */
const ours = (attributes: object): object =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => name.startsWith('nemo.')));

function collect({ span }: Served): void {
  const call = telemetry.tracing.spans().find(({ name }) => name === 'call');
  add(ours(span.attributes), SERVER_SPAN);
  add(ours(call?.attributes ?? {}), ACTIVE_SPAN);
  for (const { name, attributes } of span.events) {
    add({ [name]: 'the name' }, 'span event');
    add(attributes ?? {}, EVENT);
  }
}

beforeAll(async () => {
  table = readTable();
  telemetry = startTelemetry({ mirror: { signal: 'both' } });
  collect(await serveOne(telemetry.tracing, everything, '/ng-rollout/r-1/run'));
  // A span takes 64 events: the own failure of a request with fewer.
  collect(
    await serveOne(telemetry.tracing, (_, res) => {
      failRequest(failure('restored'));
      res.end();
    }),
  );
  for (const { eventName, attributes } of telemetry.records()) {
    add({ [eventName ?? '']: 'the name' }, 'log record');
    add(attributes, EVENT);
  }
  for (const [name, { points }] of await telemetry.measured()) {
    add({ [name]: 'a metric' }, 'metric');
    for (const { labels } of points) add(labels, name);
  }
});
afterAll(() => {
  telemetry.stop();
  expect(telemetry.complaints).toEqual([]);
});

const placesOf = (all: Map<string, { places: Set<string> }>): Record<string, string[]> =>
  Object.fromEntries([...all].map(([name, { places }]) => [name, [...places].sort()] as const).sort());

it('the table names what is emitted, where it is emitted, and nothing else', () => {
  expect(table.size).toBeGreaterThan(30);
  expect(placesOf(emitted)).toEqual(placesOf(table));
});

it('says of each attribute which type it has', () => {
  const types: Record<string, string> = { int: 'number', double: 'number' };
  for (const [name, { type, places }] of table) {
    if (type === '' || places.has('metric')) continue;
    expect([name, [...(emitted.get(name)?.types ?? [])]]).toEqual([name, [types[type] ?? type]]);
  }
});

it('says of each metric its unit', async () => {
  const units = [...(await telemetry.measured())].map(([name, { unit }]) => [name, unit] as const);
  expect(units).toHaveLength(7);
  for (const [name, unit] of units) expect([name, table.get(name)?.type.split(', ')[1]]).toEqual([name, unit]);
});

it('has each name of the code, and the code each name of the table', () => {
  const { MODEL_PREFIX, ...exact } = names;
  const spelled = new Set<string>(Object.values(exact));
  for (const name of spelled) expect([...table.keys()]).toContain(name);
  for (const name of table.keys())
    expect([name, spelled.has(name) || name.startsWith(MODEL_PREFIX)]).toEqual([name, true]);
});

it('log records and span events have the same attributes', async () => {
  telemetry.reset();
  const { span } = await serveOne(telemetry.tracing, (_, res) => {
    failRequest(failure('same', { stage: 'seed' }));
    res.end();
  });
  expect(telemetry.records().map(({ attributes }) => ({ ...attributes }))).toEqual(
    span.events.map(({ attributes }) => ({ ...attributes })),
  );
});
