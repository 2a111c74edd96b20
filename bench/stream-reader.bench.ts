/**
 * The stream reader beside a bare `Buffer.indexOf` for the field's name, and beside what a client does to read the same
 * stream, over the same chunks and in turns. No body holds the field: that is what nearly all streams are.
 */
import { createParser } from 'eventsource-parser';
import { FailureHeader, StreamFailureReportReader } from 'opentelemetry-instrumentation-nemo-gym';
import type { RowId } from './report/rows.ts';
import { cpuSeconds, handIn, inTurns, rounds } from './support/measure.ts';

const NAME = Buffer.from(`"${FailureHeader.STREAM_FIELD}"`);
const MIB = 1 << 20;
const ROUNDS = rounds(25, 7);
const WARM_UPS = 3;

type Chunks = readonly Buffer[];

function chunksOf(body: Buffer, size: number): Chunks {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) chunks.push(Buffer.from(body.subarray(at, at + size)));
  return chunks;
}

function scan(chunks: Chunks): void {
  let found = 0;
  for (const chunk of chunks) if (chunk.indexOf(NAME) >= 0) found += 1;
  if (found > 0) throw new Error('the body of a speed test holds no report');
}

function read(chunks: Chunks): void {
  const reader = new StreamFailureReportReader();
  for (const chunk of chunks) reader.feed(chunk);
  if (reader.finish() !== undefined) throw new Error('the body of a speed test holds no report');
}

function readOmitted(chunks: Chunks): void {
  const reader = new StreamFailureReportReader();
  for (const chunk of chunks) reader.feed(chunk);
  if (reader.finish()?.omitted !== true) throw new Error('a report over the limit was not told of');
}

function parse(chunks: Chunks, onData: (data: string) => unknown = (data) => data.length): void {
  let events = 0;
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent: ({ data }) => {
      if (onData(data) !== undefined) events += 1;
    },
  });
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  if (events === 0) throw new Error('the body of a speed test holds events');
}

function parseAll(chunks: Chunks): void {
  parse(chunks, (data) => JSON.parse(data));
}

/** Seconds of CPU a byte. */
function timed(work: (chunks: Chunks) => void, chunks: Chunks): () => number {
  const bytes = sizeOf(chunks);
  return () => cpuSeconds(() => work(chunks)) / bytes;
}

function sizeOf(chunks: Chunks): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

function deltas(bytes: number, end = '\n'): Buffer {
  const head = `event: response.output_text.delta${end}data: {"type":"response.output_text.delta","item_id":"msg_1","delta":"`;
  const tail = `"}${end}${end}`;
  const event = head + 'w'.repeat(165 - head.length - tail.length) + tail;
  return Buffer.from(event.repeat(Math.ceil(bytes / event.length)));
}

function lines(bytes: number, count = 1, start = ''): Buffer {
  return Buffer.from(`data: {${start}"pad":"${'y'.repeat(bytes)}"}\n\n`.repeat(count));
}

/** How many times as fast as a bare scan. */
function besideScan(id: RowId, chunks: Chunks): void {
  const taken = inTurns([timed(scan, chunks), timed(read, chunks)], ROUNDS, WARM_UPS);
  handIn(
    id,
    taken.map(([bare = Number.NaN, ours = Number.NaN]) => bare / ours),
  );
}

const ordinary = chunksOf(deltas(32 * MIB), 4096);
besideScan('stream.scan', ordinary);
besideScan('stream.crlf', chunksOf(deltas(32 * MIB, '\r\n'), 4096));
besideScan('stream.delta-chunks', chunksOf(deltas(16 * MIB), 165));
besideScan('stream.long-lines', chunksOf(lines(100 * 1024, 160), 4096));

const clients = inTurns(
  [(chunks: Chunks) => parse(chunks), parseAll, read].map((work) => timed(work, ordinary)),
  rounds(15, 3),
  2,
).map(([parser = Number.NaN, client = Number.NaN, ours = Number.NaN]) => ({ parser, client, ours }));
handIn(
  'stream.parser',
  clients.map(({ parser, ours }) => parser / ours),
);
handIn(
  'stream.client',
  clients.map(({ client, ours }) => client / ours),
);

const small = [ordinary, chunksOf(deltas(32 * MIB), 64), chunksOf(deltas(4 * MIB), 64)] as const;
const cut = inTurns(
  small.map((chunks) => timed(read, chunks)),
  ROUNDS,
  WARM_UPS,
).map(([whole = Number.NaN, long = Number.NaN, short = Number.NaN]) => ({ whole, long, short }));
handIn(
  'stream.small-chunks',
  cut.map(({ long }) => 1 / long / 1e9),
);
handIn(
  'stream.small-chunks-scan',
  cut.map(({ whole, long }) => whole / long),
);
handIn(
  'stream.linear',
  cut.map(({ long, short }) => long / short),
);

const line = chunksOf(lines(8 * MIB), 64);
// Gathered up to a limit, because it may be a report; then it is one that was left out.
const fieldLine = (bytes: number): Chunks => chunksOf(lines(bytes, 1, `"type":"error",${NAME}:{},`), 64);
const long = fieldLine(8 * MIB);
const inLines = inTurns(
  [timed(read, line), timed(readOmitted, long), timed(readOmitted, fieldLine(2 * MIB))],
  ROUNDS,
  WARM_UPS,
).map(([plain = Number.NaN, field = Number.NaN, short = Number.NaN]) => ({ plain, field, short }));
handIn(
  'stream.line',
  inLines.map(({ plain }) => plain * sizeOf(line)),
);
handIn(
  'stream.field-line',
  inLines.map(({ field }) => field * sizeOf(long)),
);
handIn(
  'stream.line-linear',
  inLines.map(({ field, short }) => field / short),
);
handIn(
  'stream.line-memory',
  Array.from({ length: rounds(3, 1) }, () => Math.max(heldMiB(line), heldMiB(long))),
);

/** The most that the reader holds on the way, in MiB. */
function heldMiB(chunks: Chunks): number {
  const used = (): number => {
    // The second one waits until the memory of what the first one found is given back.
    for (let time = 0; time < 2; time += 1) globalThis.gc?.();
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    return arrayBuffers + heapUsed;
  };
  if (globalThis.gc === undefined) throw new Error('start with --expose-gc');
  const before = used();
  const reader = new StreamFailureReportReader();
  let held = 0;
  for (const [index, chunk] of chunks.entries()) {
    reader.feed(chunk);
    if (index % 8192 === 0) held = Math.max(held, used() - before);
  }
  reader.finish();
  return held / MIB;
}
