import type { FailureReport } from '../../records/failure-report.ts';
import { STREAM_MAX_DATA_BYTES, STREAM_MAX_REPORT_BYTES } from '../../records/wire.ts';
import { observeReport } from '../observe.ts';
import { type CarriedReport, StreamEvent } from './event.ts';
import { GatheredReports } from './gathered.ts';
import { eventStart, StreamScan } from './scan.ts';
import { TextBytes } from './text.ts';

/** How much a reader holds; other limits than the wire's are for tests. */
export interface StreamReaderLimits {
  /** Most bytes of one `data:` value and of an event's joined data. */
  readonly maxDataBytes: number;
  /** Most bytes that are gathered before they are searched. */
  readonly bufferBytes: number;
  /** Most bytes of data, of all events together, whose reports are kept; default 2 MiB. */
  readonly maxReportBytes?: number;
}

const LIMITS: StreamReaderLimits = { maxDataBytes: STREAM_MAX_DATA_BYTES, bufferBytes: 64 * 1024 };
/** Most streams are short, and there is a reader for each of them. */
const FIRST_BUFFER_BYTES = 4 * 1024;
const GROWTH = 4;
/** So much of a large piece is copied to end the event that the buffer holds. */
const JOIN_BYTES = 2048;
const NO_BYTES = Buffer.alloc(0);
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads the failure report from a server-sent event stream's terminal events (wire key `nemo_gym_failure_report`) while
 * the stream is relayed unchanged. The report is the same for every way of cutting the stream into pieces. It holds at
 * most about 1.2 MiB beside the report, whatever the stream is like: of a `data:` value, or an event's joined data, over
 * 1 MiB it only learns whether the field was in it, and then the report says omitted. Of the reports it keeps as many as
 * came in the first 2 MiB of data; events after that are omitted too.
 *
 * The field counts where its name is written plainly between quotes; a name with JSON escapes in it is not found.
 */
export class StreamFailureReportReader {
  readonly #limits: StreamReaderLimits;
  /** Bytes that were not searched yet, after the start of an event that has not ended. */
  #buffer = NO_BYTES;
  #used = 0;
  /** So many bytes at the buffer's start hold neither the field's name nor an event's end. */
  #clean = 0;
  /** The event that is read line by line, because it has the field's name or outgrew the buffer. */
  #event: StreamEvent | undefined;
  #inEvent = false;
  #text: TextBytes | undefined;
  #started = false;
  #finished = false;
  #observed = false;
  readonly #reports: GatheredReports;

  /** @param limits - only for tests */
  constructor(limits: StreamReaderLimits = LIMITS) {
    this.#limits = limits;
    this.#reports = new GatheredReports(limits.maxReportBytes ?? STREAM_MAX_REPORT_BYTES);
  }

  /** What the events that have ended carried; after {@link finish} the report of the whole stream. */
  get report(): FailureReport | undefined {
    if (!this.#finished) this.#search();
    return this.#reports.report;
  }

  /** Takes the stream's next bytes; they are copied. After {@link finish} they are ignored. */
  feed(bytes: Uint8Array): void {
    if (this.#finished) return;
    if (this.#text !== undefined) this.#endText();
    this.#take(bytes);
  }

  /**
   * Takes the stream's next text, as the bytes that it has in UTF-8. A surrogate pair may be cut in two; a lone surrogate
   * counts as a byte that is not UTF-8. After {@link finish} it is ignored.
   */
  feedText(text: string): void {
    if (this.#finished) return;
    this.#text ??= new TextBytes();
    this.#text.write(text, (bytes) => this.#take(bytes));
  }

  /**
   * The stream ended, complete or not. A complete line is evidence, also without the blank line after it; a line cut off
   * by the end is none, unless it is over the limit and holds the field's name. May be called again.
   *
   * @returns the merged report; `undefined` when no terminal event carried one
   */
  finish(): FailureReport | undefined {
    if (this.#finished) return this.#reports.report;
    this.#endText();
    this.#search();
    // What is left in the buffer does not hold the name. An event that is being read line by line may.
    if (this.#event !== undefined && this.#inEvent) this.#merge(this.#event.cutOff());
    this.#finished = true;
    this.#buffer = NO_BYTES;
    this.#event = undefined;
    return this.#reports.report;
  }

  /** Finishes, and records what the stream forwarded in the current request's log; once, however often it is called. */
  observe(): void {
    const report = this.finish();
    if (report === undefined || this.#observed) return;
    this.#observed = true;
    observeReport(report);
  }

  #endText(): void {
    this.#text?.end((bytes) => this.#take(bytes));
  }

  #take(bytes: Uint8Array): void {
    const used = this.#used + bytes.length;
    if (used <= this.#buffer.length) {
      this.#buffer.set(bytes, this.#used);
      this.#used = used;
    } else {
      this.#takeInParts(bytes);
    }
  }

  #takeInParts(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (bytes.length - at > this.#limits.bufferBytes / 2) {
        at = this.#searchInPlace(bytes, at);
        if (at === bytes.length) return;
      }
      if (this.#used === this.#buffer.length) this.#makeRoom();
      at += this.#gather(bytes, at, this.#buffer.length);
    }
  }

  /** Copies bytes from `at` on into the buffer, up to `most` of them. Gives back how many. */
  #gather(bytes: Uint8Array, at: number, most: number): number {
    const room = Math.min(most, this.#buffer.length - this.#used);
    const part = bytes.subarray(at, at + room);
    this.#buffer.set(part, this.#used);
    this.#used += part.length;
    return part.length;
  }

  /**
   * Searches a large piece where it stands, once the event that the buffer holds has ended. Gives back how far it came.
   */
  #searchInPlace(bytes: Uint8Array, from: number): number {
    let at = from;
    if (this.#used > 0) {
      const gathered = this.#gather(bytes, at, JOIN_BYTES);
      at += gathered;
      this.#search();
      // Only where all that stays came from this piece can the piece be searched alone.
      if (this.#used > gathered) return at;
      at -= this.#used;
      this.#used = 0;
    }
    const rest = Buffer.from(bytes.buffer, bytes.byteOffset + at, bytes.length - at);
    const start = this.#read(rest);
    this.#clean = rest.length - start;
    return at + start;
  }

  /** Searches what was gathered, and lets the buffer grow until it has its full size. */
  #makeRoom(): void {
    this.#search();
    const size = this.#buffer.length;
    if (size === this.#limits.bufferBytes) return;
    const grown = Buffer.allocUnsafeSlow(
      Math.min(Math.max(size * GROWTH, FIRST_BUFFER_BYTES), this.#limits.bufferBytes),
    );
    grown.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = grown;
  }

  /**
   * Searches the buffer for the field's name. Only the event that has it is read line by line; of the rest nothing stays
   * but the start of an event that has not ended, and that only while it is small.
   */
  #search(): void {
    const full = this.#used === this.#buffer.length;
    const start = this.#read(full ? this.#buffer : this.#buffer.subarray(0, this.#used));
    if (start > 0) this.#buffer.copyWithin(0, start, this.#used);
    this.#used -= start;
    this.#clean = this.#used;
  }

  /** Gives back where the part of `bytes` starts that has to stay. */
  #read(bytes: Buffer): number {
    let at = this.#skipByteOrderMark(bytes);
    if (at < 0) return 0;
    const scan = new StreamScan(bytes, this.#clean);
    while (true) {
      if (!this.#inEvent) {
        const name = scan.name(at);
        const start = eventStart(bytes, at, name, this.#clean);
        if (name === bytes.length && bytes.length - start <= this.#limits.bufferBytes / 2) return start;
        this.#inEvent = true;
        at = start;
      }
      this.#event ??= new StreamEvent(this.#limits.maxDataBytes);
      at = this.#event.read(scan, at);
      if (at < 0) return bytes.length;
      this.#inEvent = false;
      this.#merge(this.#event.close());
    }
  }

  /** Where the stream's own bytes begin; -1 while too few have come to tell. */
  #skipByteOrderMark(bytes: Buffer): number {
    if (this.#started) return 0;
    if (bytes.length < BYTE_ORDER_MARK.length) return -1;
    this.#started = true;
    return bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  }

  #merge(carried: CarriedReport | undefined): void {
    if (carried !== undefined) this.#reports.add(carried.report, carried.bytes);
  }
}
