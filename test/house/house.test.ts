import { describe, expect, it } from 'vitest';
import * as wire from '../../src/records/wire.ts';
import { roomOf, sources, targetOf } from './sources.ts';

/** What each room may import beside itself, Node's modules aside. The roof, `src/*.ts`, may import everything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  records: ['zod'],
  failures: ['records'],
  transport: ['records', 'failures', '@opentelemetry/api'],
  instrumentation: ['records', 'failures', 'transport', '@opentelemetry/api', '@opentelemetry/instrumentation'],
  frameworks: ['records', 'failures', 'transport', '@opentelemetry/api'],
  command: ['records', 'transport'],
};
/** Names only, so that what is written and what is read under them stands once. */
const LEAVES = ['version.ts', '../package.json', 'instrumentation/attributes.ts'];
/** What runs in a browser: bundled at build time into one script, with what it needs. The command shares its types only. */
const PAGE = 'command/summary/page/';
const PAGE_MAY_IMPORT = ['chart.js'];
const MAX_LINES = 250;

const rooms = sources.filter(({ room }) => room !== '');

it('the house has the rooms that its plan names', () => {
  expect([...new Set(rooms.map(({ room }) => room))].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
  expect(sources.length).toBeGreaterThan(40);
});

describe('arrows go down', () => {
  it.each(rooms)('$path', (source) => {
    const ofPage = source.path.startsWith(PAGE) ? PAGE_MAY_IMPORT : [];
    const allowed = [source.room, ...(MAY_IMPORT[source.room] ?? []), ...ofPage];
    const wrong = source.imports
      // A type leaves no trace at run time, so a framework's own types may be named; rooms may not.
      .filter(({ from, typeOnly }) => !from.startsWith('node:') && !(typeOnly && !from.startsWith('.')))
      .filter((imported) => !allowed.includes(roomOf(source, imported) ?? imported.from))
      .filter((imported) => !LEAVES.includes(targetOf(source, imported)))
      .map(({ from }) => from);
    expect(wrong).toEqual([]);
  });
});

it('nothing passes between the page and the command but types', () => {
  const crossing = rooms.flatMap((source) =>
    source.imports
      .filter((imported) => !imported.typeOnly && imported.from.startsWith('.'))
      .filter((imported) => targetOf(source, imported).startsWith(PAGE) !== source.path.startsWith(PAGE))
      .map(({ from }) => `${source.path}: ${from}`),
  );
  expect(crossing).toEqual([]);
});

it('what every room may import holds names and nothing else', () => {
  const leaves = sources.filter(({ path }) => LEAVES.includes(path));
  expect(leaves.map(({ imports }) => imports)).toEqual([[], []]);
});

it.each(sources)('$path fits on a few screens', ({ lines }) => {
  expect(lines).toBeLessThanOrEqual(MAX_LINES);
});

// Loading node:http before HttpInstrumentation patches it leaves an app without its spans (OpenTelemetry JS 2.x).
it.each(sources)('$path loads no HTTP module', ({ imports }) => {
  const loaded = imports.filter(({ from, typeOnly }) => !typeOnly && /^(node:)?(https?|http2)$/.test(from));
  expect(loaded).toEqual([]);
});

it('nothing but the wire’s own file spells what is on the wire', () => {
  const names = [
    wire.HEADER_NAME,
    wire.STREAM_FIELD,
    wire.ROW_EVENTS,
    wire.ROW_FAILURE_ID,
    wire.ROW_OMITTED,
    wire.ROW_ROLLOUT_ID,
    wire.ROW_TASK_INDEX,
    wire.ROW_ROLLOUT_INDEX,
    wire.ROLLOUT_PATH_PREFIX,
    wire.JUDGE_FAILURE_CLASS,
    wire.OMITTED_HEADER_VALUE,
    wire.TRUNCATION_MARKER,
    wire.UNREGISTERED_KIND_PREFIX,
    // Those of its words that mean nothing else.
    ...[...wire.STREAM_TERMINAL_TYPES].filter((type) => type !== 'error'),
  ].map((name) => name.toLowerCase());
  const numbers = [wire.HEADER_MAX_BYTES, wire.REASON_MAX_CHARS, wire.CHAIN_MAX_LINKS, wire.STREAM_MAX_DATA_BYTES].map(
    String,
  );
  const spelled = sources
    .filter(({ path }) => path !== 'records/wire.ts')
    .flatMap(({ path, literals }) =>
      literals
        .filter((literal) => numbers.includes(literal) || names.some((name) => literal.toLowerCase().includes(name)))
        .map((literal) => `${path}: ${literal}`),
    );
  expect(spelled).toEqual([]);
});
