import { describe, expect, it } from 'vitest';
import { StreamFailureReportReader } from '../../../src/transport/stream/stream-reader.ts';
import { LIMIT, NAME, OMITTED, read, reportOf, terminal } from '../../support/stream-reports.ts';

describe('the limit', () => {
  /** A payload of exactly `bytes` bytes that carries a report. */
  const ofSize = (bytes: number): string =>
    terminal('a', 'error', 'y'.repeat(bytes - terminal('a', 'error', '').length));

  it('is 1 MiB for the value after "data:" and its one space', () => {
    expect(read(`data: ${ofSize(LIMIT)}\n\n`)).toEqual(reportOf('a'));
    expect(read(`data:${ofSize(LIMIT)}\n\n`)).toEqual(reportOf('a'));
    expect(read(`data: ${ofSize(LIMIT + 1)}\n\n`)).toEqual(OMITTED);
    expect(read(`data:  ${ofSize(LIMIT)}\n\n`)).toEqual(OMITTED);
  });

  it('is 1 MiB for the joined text, line feeds included, although each line is below it', () => {
    const head = '{"type":"error",';
    const tail = (bytes: number): string => ofSize(bytes).slice(head.length);
    expect(read(`data: ${head}\ndata: ${tail(LIMIT - 1)}\n\n`)).toEqual(reportOf('a'));
    expect(read(`data: ${head}\ndata: ${tail(LIMIT)}\n\n`)).toEqual(OMITTED);
  });

  it('an event over the limit is omitted as a whole: none of its lines stands by itself', () => {
    expect(read(`data: ${'y'.repeat(LIMIT)}\ndata: ${terminal('a')}\n\n`)).toEqual(OMITTED);
    expect(read(`data: ${'y'.repeat(LIMIT + 1)}\ndata: {}\n\ndata: ${terminal('a')}\n\n`)).toEqual(reportOf('a'));
  });

  it('comments and other fields do not count, however many there are', () => {
    const comments = `: ${'c'.repeat(LIMIT)}\n`.repeat(2);
    expect(read(`${comments}data: {"type":"error",\n${comments}data:"${NAME}":{"omitted":true}}\n\n`)).toEqual(OMITTED);
    expect(read(`${comments}data: ${terminal('a')}\n${comments}\n`)).toEqual(reportOf('a'));
  });

  it('the name counts wherever it stands in what is too long', () => {
    const pad = 'y'.repeat(LIMIT);
    for (const value of [`"${NAME}"${pad}`, `${pad}"${NAME}"`, `${pad}"${NAME}"${pad}`]) {
      expect(read(`data: ${value}\n\n`)).toEqual(OMITTED);
    }
    expect(read(`data: ${pad}${pad}\n\n`)).toBeUndefined();
  });
});

describe('the end of the stream', () => {
  it('a line cut off is no evidence, whatever it holds, and the complete lines of its event stay', () => {
    expect(read(`data: ${terminal('a')}`)).toBeUndefined();
    expect(read(`data: {"${NAME}":`)).toBeUndefined();
    expect(read(`data: ${terminal('a')}\ndata: {"${NAME}":`)).toEqual(reportOf('a'));
  });

  it('a line cut off counts when it is over the limit by itself and has the name', () => {
    const long = `"${NAME}"${'y'.repeat(LIMIT)}`;
    expect(read(`data: ${long}`)).toEqual(OMITTED);
    expect(read(`data: ${long.slice(0, LIMIT)}`)).toBeUndefined();
    expect(read(`data: ${'y'.repeat(LIMIT + 1)}`)).toBeUndefined();
  });

  it('a line cut off does not take its event over the limit unless it counts', () => {
    const half = 'y'.repeat(LIMIT / 2);
    const complete = terminal('a', 'error', half);
    expect(read(`data: ${complete}\ndata: "${NAME}"${half}`)).toEqual(reportOf('a'));
    expect(read(`data: ${complete}\ndata: ${half}${half}${half}`)).toEqual(reportOf('a'));
    expect(read(`data: ${complete}\ndata: "${NAME}"${half}${half}${half}`)).toEqual(OMITTED);
  });

  it('a CR as the last byte ends a line', () => {
    expect(read(`data: ${terminal('a')}\r`)).toEqual(reportOf('a'));
  });
});

describe('reports without end', () => {
  const event = (id: string, pad: number): string => `data: ${terminal(id, 'error', 'y'.repeat(pad))}\n\n`;
  const ids = (report: unknown): readonly string[] =>
    typeof report === 'object' && report !== null && 'events' in report ? Object.keys(report.events ?? {}) : [];

  it('are kept as far as they came in 2 MiB of data; then the report says omitted and takes no new event', () => {
    const large = (LIMIT / 4) * 3;
    const body = event('a', large) + event('b', large);
    expect(ids(read(body))).toEqual(['a', 'b']);
    expect(read(body)).not.toHaveProperty('omitted');
    const over = read(body + event('c', large) + event('d', 1));
    expect(ids(over)).toEqual(['a', 'b']);
    expect(over).toHaveProperty('omitted', true);
  });

  it('are no loss where they say what is known', () => {
    const half = event('a', LIMIT / 2);
    expect(read(half.repeat(6))).toEqual(reportOf('a'));
  });
});

describe('memory and time', () => {
  it('holds at most 1.2 MiB of a line that is much longer, and little of a short stream', (context) => {
    const allocated = countAllocations(context.onTestFinished);
    const chunk = Buffer.alloc(64, 'y');
    const reader = new StreamFailureReportReader();
    reader.feedText('data: ');
    for (let at = 0; at < 8 * LIMIT; at += chunk.length) reader.feed(chunk);
    expect(allocated.bytes).toBeLessThan(1.2 * LIMIT);
    expect(reader.finish()).toBeUndefined();

    allocated.bytes = 0;
    const short = new StreamFailureReportReader();
    short.feed(Buffer.from('data: {"type":"response.output_text.delta"}\n\n'.repeat(20)));
    expect(allocated.bytes).toBeLessThan(5000);
    short.finish();
  });

  it('takes time in proportion to the bytes: a line, many lines of one event, events that all have the name', () => {
    const shapes: Record<string, (bytes: number) => Buffer> = {
      'one line': (bytes) => Buffer.from(`data: ${'y'.repeat(bytes)}\n\n`),
      'lines of one event': (bytes) => Buffer.from('data: {"delta":"y"}\n'.repeat(bytes / 20)),
      'comments without end': (bytes) => Buffer.from(`: "${NAME}"\n`.repeat(bytes / 30)),
      'named events': (bytes) => Buffer.from(`: "${NAME}"\ndata: y\n\n`.repeat(bytes / 40)),
      'line ends': (bytes) => Buffer.alloc(bytes, '\r'),
      'events with a report each': (bytes) => reports(bytes, '\n\n'),
      'the same in lines of one event after the other': (bytes) => reports(bytes, '\n'),
    };
    for (const [name, make] of Object.entries(shapes)) {
      for (const bytes of [LIMIT / 4, LIMIT]) {
        const small = bestSeconds(make(bytes));
        const large = bestSeconds(make(8 * bytes));
        // Quadratic work would be 64 times as much; the machine's noise is allowed for.
        const slow = large / Math.max(small, 0.005) > 24;
        expect({ name, bytes, ratio: large / small, slow }).toMatchObject({ slow: false });
      }
    }
  });
});

/** Reports of one new event each, a blank line at least in each half of what an event may have. */
function reports(bytes: number, end: string): Buffer {
  const lines: string[] = [];
  let left = bytes;
  for (let count = 0; left > 0; count += 1) {
    const line = `data: ${terminal(`e${count}`)}${count % 2000 === 0 ? '\n\n' : end}`;
    lines.push(line);
    left -= line.length;
  }
  return Buffer.from(lines.join(''));
}

/** Seconds of CPU, the best of three: other programs run on the machine too. */
function bestSeconds(body: Buffer): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    const start = process.cpuUsage();
    const reader = new StreamFailureReportReader();
    for (let at = 0; at < body.length; at += 64) reader.feed(body.subarray(at, at + 64));
    reader.finish();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1e6);
  }
  return best;
}

/** Counts the bytes of buffers as they are made; nothing that a reader makes is a garbage copy of something else. */
function countAllocations(after: (undo: () => void) => void): { bytes: number } {
  const allocated = { bytes: 0 };
  const original = Buffer.allocUnsafeSlow;
  Buffer.allocUnsafeSlow = (size) => {
    allocated.bytes += size;
    return original(size);
  };
  after(() => {
    Buffer.allocUnsafeSlow = original;
  });
  return allocated;
}
