import { StreamFailureReportReader, type StreamReaderLimits } from '../../src/transport/stream/stream-reader.ts';

/** What a reader says of `body` given whole, or cut before each of `cuts` (in any order, also outside the body). */
export function readBytes(body: Uint8Array, cuts: readonly number[] = [], limits?: StreamReaderLimits): unknown {
  const reader = new StreamFailureReportReader(limits);
  for (const [from, to] of pieces(body.length, cuts)) feedPiece(reader, body, from, to);
  return reader.finish()?.toJSON();
}

/** Feeds a piece with nothing around it in memory, and takes it away afterwards. */
function feedPiece(reader: StreamFailureReportReader, body: Uint8Array, from: number, to: number): void {
  const piece = new Uint8Array(body.subarray(from, to));
  reader.feed(piece);
  piece.fill(0);
}

/** The same of text, cut between any two code units. */
export function readText(text: string, cuts: readonly number[] = [], limits?: StreamReaderLimits): unknown {
  const reader = new StreamFailureReportReader(limits);
  for (const [from, to] of pieces(text.length, cuts)) reader.feedText(text.slice(from, to));
  return reader.finish()?.toJSON();
}

/** The same of bytes in pieces of `size` each. */
export function readInSteps(body: Uint8Array, size: number, limits?: StreamReaderLimits): unknown {
  const reader = new StreamFailureReportReader(limits);
  for (let at = 0; at < body.length; at += size) feedPiece(reader, body, at, at + size);
  return reader.finish()?.toJSON();
}

function* pieces(length: number, cuts: readonly number[]): Generator<[number, number]> {
  let from = 0;
  for (const cut of [...cuts, length].sort((a, b) => a - b)) {
    const to = Math.min(Math.max(cut, from), length);
    yield [from, to];
    from = to;
  }
}
