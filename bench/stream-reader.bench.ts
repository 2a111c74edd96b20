/**
 * The stream reader against a bare `Buffer.indexOf` for the field's name over the same chunks. Run with
 * `node --expose-gc --import tsx bench/stream-reader.bench.ts`. Rounds of both are interleaved, each figure is the median
 * of its rounds with the spread beside it.
 */
import { StreamFailureReportReader } from '../src/transport/stream/stream-reader.ts';

const NAME = Buffer.from('"nemo_gym_failure_report"');
const ROUNDS = 15;
const MIB = 1 << 20;

interface Figure {
  readonly median: number;
  readonly spread: string;
}

function figure(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { median: at(0.5), spread: `${at(0.1).toFixed(2)}–${at(0.9).toFixed(2)}` };
}

function chunksOf(body: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) chunks.push(Buffer.from(body.subarray(at, at + size)));
  return chunks;
}

function scan(chunks: readonly Buffer[]): void {
  let found = 0;
  for (const chunk of chunks) if (chunk.indexOf(NAME) >= 0) found += 1;
  if (found > 0) throw new Error('the body of a speed test holds no report');
}

function read(chunks: readonly Buffer[]): void {
  const reader = new StreamFailureReportReader();
  for (const chunk of chunks) reader.feed(chunk);
  if (reader.finish() !== undefined) throw new Error('the body of a speed test holds no report');
}

function secondsOf(work: () => void): number {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e9;
}

function compare(name: string, body: Buffer, size: number): void {
  const chunks = chunksOf(body, size);
  const ratios: number[] = [];
  const speeds: number[] = [];
  for (let round = 0; round < ROUNDS + 3; round += 1) {
    const bare = secondsOf(() => scan(chunks));
    const ours = secondsOf(() => read(chunks));
    const bareAgain = secondsOf(() => scan(chunks));
    if (round < 3) continue;
    ratios.push((bare + bareAgain) / 2 / ours);
    speeds.push(body.length / ours / 1e9);
  }
  const ratio = figure(ratios);
  const speed = figure(speeds);
  console.log(
    `${name.padEnd(46)} ${ratio.median.toFixed(2)} of a bare scan (${ratio.spread}), ${speed.median.toFixed(2)} GB/s (${speed.spread})`,
  );
}

function deltas(bytes: number, end = '\n'): Buffer {
  const head = `event: response.output_text.delta${end}data: {"type":"response.output_text.delta","item_id":"msg_1","delta":"`;
  const tail = `"}${end}${end}`;
  const event = head + 'w'.repeat(165 - head.length - tail.length) + tail;
  return Buffer.from(event.repeat(Math.ceil(bytes / event.length)));
}

function oneLine(bytes: number): Buffer {
  return Buffer.from(`data: {"pad":"${'y'.repeat(bytes)}"}\n\n`);
}

/** Seconds for a long line, and the most bytes that were held on the way. */
function longLine(bytes: number, size: number): void {
  const chunks = chunksOf(oneLine(bytes), size);
  const seconds: number[] = [];
  for (let round = 0; round < 5; round += 1) seconds.push(secondsOf(() => read(chunks)));
  globalThis.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  const reader = new StreamFailureReportReader();
  let held = 0;
  for (const [index, chunk] of chunks.entries()) {
    reader.feed(chunk);
    if (index % 8192 !== 0) continue;
    globalThis.gc?.();
    held = Math.max(held, process.memoryUsage().arrayBuffers - before);
  }
  reader.finish();
  const { median, spread } = figure(seconds);
  const memory =
    globalThis.gc === undefined ? 'start with --expose-gc for memory' : `${(held / MIB).toFixed(2)} MiB held`;
  console.log(
    `${`${bytes / MIB} MiB line, ${size}-byte chunks`.padEnd(46)} ${median.toFixed(3)} s (${spread}), ${memory}`,
  );
}

compare('165-byte deltas, 4 KiB chunks', deltas(32 * MIB), 4096);
compare('165-byte deltas with CR LF, 4 KiB chunks', deltas(32 * MIB, '\r\n'), 4096);
compare('165-byte deltas, one delta a chunk', deltas(16 * MIB), 165);
compare('165-byte deltas, 64-byte chunks', deltas(16 * MIB), 64);
compare('165-byte deltas, 64 KiB chunks', deltas(32 * MIB), 64 * 1024);
compare('165-byte deltas, one chunk', deltas(32 * MIB), 64 * MIB);
compare(
  '100 KiB lines, 4 KiB chunks',
  Buffer.from(
    oneLine(100 * 1024)
      .toString()
      .repeat(160),
  ),
  4096,
);
compare(
  '8 MiB lines, 4 KiB chunks',
  Buffer.from(
    oneLine(8 * MIB)
      .toString()
      .repeat(4),
  ),
  4096,
);
for (const mib of [1, 2, 4, 8, 16]) longLine(mib * MIB, 64);
