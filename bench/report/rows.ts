/**
 * Every figure of `npm run bench`, declared once: the benches hand in measurements under these ids, and the table, the
 * saved file, the guard and docs/performance.md say what stands here.
 */

/** A goal, or one for Node 20 and one for Node 22 and newer. */
export type Goal = number | { readonly node20: number; readonly newer: number };

export interface BenchRow {
  readonly id: string;
  /** The bench that measures it: the file `bench/<bench>.bench.ts`. */
  readonly bench: string;
  readonly what: string;
  /** What it is measured against, in the same run. */
  readonly against: string;
  readonly unit: '×' | 'µs' | 'GB/s' | 's' | 'bytes' | 'MiB' | 'MB';
  readonly better: 'lower' | 'higher';
  /** Absent where the figure only helps to read the others. */
  readonly goal?: Goal;
  /** What fails under `--guard`, where twice the goal (or half of it) would let a slip through. */
  readonly guard?: number;
}

const lower = { better: 'lower' } as const;
const higher = { better: 'higher' } as const;
const ratio = { ...lower, unit: '×' } as const;
const moreCpu = { ...lower, unit: 'µs' } as const;
const speedRatio = { ...higher, bench: 'stream-reader', unit: '×' } as const;
const besideScan = { ...speedRatio, against: 'bare `Buffer.indexOf`' } as const;
/** With its command's own peak, of all rounds. */
const commandRatio = { ...ratio, bench: 'command', goal: 2.5 } as const;
const peak = { ...lower, bench: 'command', against: '', unit: 'MB', goal: 150 } as const;
const parsing = 'reading the files with `JSON.parse`';

export const ROWS = [
  {
    id: 'server.over-bare',
    bench: 'server',
    what: 'server CPU a request, no failure: more than',
    against: 'bare `node:http`',
    ...moreCpu,
    goal: 3,
  },
  {
    id: 'server.bare-twin',
    bench: 'server',
    what: '— noise: a second bare server, more than',
    against: 'the first',
    ...moreCpu,
  },
  {
    id: 'server.beside-http',
    bench: 'server',
    what: 'server CPU a request, no failure',
    against: 'instrumentation-http alone, sampled',
    ...ratio,
    goal: { node20: 1.08, newer: 1.04 },
    guard: 1.3,
  },
  {
    id: 'server.http-twin',
    bench: 'server',
    what: '— noise: a second server with instrumentation-http',
    against: 'the first',
    ...ratio,
  },
  {
    id: 'server.failure',
    bench: 'server',
    what: 'one observed failure on a reply, mirrored: more than',
    against: 'the same server without failure',
    ...moreCpu,
    goal: { node20: 40, newer: 25 },
    // Much of it is Node's own, and grows with all that a machine does besides.
    guard: 160,
  },
  {
    id: 'server.failure-alone',
    bench: 'server',
    what: '— more than',
    against: 'making its two errors and their stacks',
    ...moreCpu,
  },
  {
    id: 'memory.open-request',
    bench: 'memory',
    what: 'memory of an open request, no failure: more than',
    against: 'bare `node:http`',
    ...lower,
    unit: 'bytes',
    goal: 1024,
  },
  {
    id: 'memory.beside-http',
    bench: 'memory',
    what: '— the same',
    against: 'instrumentation-http alone, sampled',
    ...lower,
    unit: 'bytes',
  },
  { id: 'stream.scan', what: 'stream reader’s speed: deltas of 165 bytes, 4 KiB chunks', ...besideScan, goal: 0.8 },
  {
    id: 'stream.parser',
    what: '— the same',
    against: '`TextDecoder` + eventsource-parser',
    ...speedRatio,
    goal: 4,
    // The parser came up to the bare scan since the goal was set: docs/performance.md.
    guard: 1.2,
  },
  {
    id: 'stream.client',
    what: '— the same',
    against: 'these and `JSON.parse` of the data, as a client does',
    ...speedRatio,
  },
  { id: 'stream.crlf', what: '— with CR LF', ...besideScan },
  { id: 'stream.delta-chunks', what: '— one delta a chunk', ...besideScan },
  { id: 'stream.long-lines', what: '— lines of 100 KiB, 4 KiB chunks', ...besideScan },
  {
    id: 'stream.small-chunks',
    bench: 'stream-reader',
    what: 'stream reader, the deltas in 64-byte chunks',
    against: '',
    ...higher,
    unit: 'GB/s',
    goal: 0.5,
  },
  {
    id: 'stream.small-chunks-scan',
    what: '— the same',
    against: 'its speed in 4 KiB chunks',
    ...speedRatio,
  },
  {
    id: 'stream.linear',
    bench: 'stream-reader',
    what: '— a byte of 32 MiB',
    against: 'a byte of 4 MiB',
    ...ratio,
    goal: 1.25,
  },
  {
    id: 'stream.line',
    bench: 'stream-reader',
    what: 'one line of 8 MiB in 64-byte chunks',
    against: '',
    ...lower,
    unit: 's',
    goal: 0.2,
  },
  {
    id: 'stream.field-line',
    bench: 'stream-reader',
    what: '— with the field’s name at its start',
    against: '',
    ...lower,
    unit: 's',
    goal: 0.2,
  },
  {
    id: 'stream.line-linear',
    bench: 'stream-reader',
    what: '— a byte of that',
    against: 'a byte of such a line of 2 MiB',
    ...ratio,
    goal: 1.25,
  },
  {
    id: 'stream.line-memory',
    bench: 'stream-reader',
    what: '— memory held on the way, the most of both',
    against: '',
    ...lower,
    unit: 'MiB',
    goal: 1.2,
  },
  {
    id: 'codec.encode',
    bench: 'codec',
    what: 'encode a 4 KB report',
    against: '`JSON.stringify`',
    ...ratio,
    goal: 1.5,
  },
  { id: 'codec.encode-wide', bench: 'codec', what: '— not ASCII', against: '`JSON.stringify`', ...ratio },
  {
    id: 'codec.decode',
    bench: 'codec',
    what: 'decode and validate a 4 KB report',
    against: '`JSON.parse`',
    ...ratio,
    goal: 1.8,
  },
  { id: 'codec.decode-pairs', bench: 'codec', what: '— with surrogate pairs', against: '`JSON.parse`', ...ratio },
  {
    id: 'codec.chain',
    bench: 'codec',
    what: '`failureReportFor` on a chain of 3 links',
    against: 'making the three errors',
    ...ratio,
    goal: 0.5,
  },
  {
    id: 'command.reconcile',
    what: '`ng-failures reconcile`, 100,000 rows and their traces',
    against: parsing,
    ...commandRatio,
  },
  { id: 'command.reconcile-memory', what: '— its peak memory', ...peak },
  { id: 'command.show', what: '`ng-failures show`, 100,000 rows', against: parsing, ...commandRatio },
  { id: 'command.show-memory', what: '— its peak memory', ...peak },
  { id: 'command.summary', what: '`ng-failures summary --html`, 100,000 rows', against: parsing, ...commandRatio },
  { id: 'command.summary-memory', what: '— its peak memory', ...peak },
] as const satisfies readonly BenchRow[];

export type RowId = (typeof ROWS)[number]['id'];

/** The goal on a Node of that major version; `undefined` where there is none. */
export function goalOf({ goal }: BenchRow, nodeMajor: number): number | undefined {
  if (goal === undefined || typeof goal === 'number') return goal;
  return nodeMajor <= 20 ? goal.node20 : goal.newer;
}
