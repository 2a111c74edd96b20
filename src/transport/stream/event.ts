import type { FailureReport } from '../../records/failure-report.ts';
import { OMITTED } from '../header.ts';
import { HeldBytes } from './held.ts';
import { LineNameSearch } from './name.ts';
import { readEventData } from './payload.ts';
import { CR, LF, type StreamScan } from './scan.ts';

const SPACE = 0x20;
const DATA_FIELD = Buffer.from('data:');
/** How far a line's beginning was read: so many bytes of `data:` matched, or one of these. */
const DATA_WITHOUT_COLON = 4;
const AFTER_COLON = 5;
const IN_VALUE = 6;
const OTHER_FIELD = 7;

/** The report that an event carried, and how much data it was read from. */
export interface CarriedReport {
  readonly report: FailureReport;
  readonly bytes: number;
}

/**
 * One event of a stream, read line by line from stretches that may be cut anywhere. It holds the data of its lines up to
 * the limit, and of what is longer only whether the quoted field name was in it.
 */
export class StreamEvent {
  readonly #maxDataBytes: number;
  readonly #held = new HeldBytes();
  readonly #name = new LineNameSearch();
  /** Data of the complete lines, each with a line feed at its end. */
  #completeBytes = 0;
  #over = false;
  #named = false;
  /** The line that is being read. */
  #line = 0;
  #valueBytes = 0;
  #valueNamed = false;
  /** The last stretch ended in CR: an LF that comes next belongs to it. */
  #afterCr = false;

  constructor(maxDataBytes: number) {
    this.#maxDataBytes = maxDataBytes;
  }

  /** Reads on at `at`. Gives back where the next event starts, or -1 when this one goes on after the stretch. */
  read(scan: StreamScan, at: number): number {
    const { bytes } = scan;
    let from = at;
    if (this.#afterCr && from < bytes.length) {
      this.#afterCr = false;
      if (bytes[from] === LF) from += 1;
    }
    while (from < bytes.length) {
      const end = scan.lineEnd(from);
      this.#take(scan, from, end);
      if (end === bytes.length) break;
      from = end + 1;
      if (bytes[end] === CR) {
        if (bytes[from] === LF) from += 1;
        else this.#afterCr = from === bytes.length;
      }
      if (this.#endLine()) return from;
    }
    return -1;
  }

  /** The event is over: the report that it carries. What is read next is another event. */
  close(): CarriedReport | undefined {
    const report = this.#named ? this.#readData() : undefined;
    const carried = report === undefined ? undefined : { report, bytes: this.#completeBytes };
    this.#held.clear();
    this.#completeBytes = 0;
    this.#over = false;
    this.#named = false;
    this.#afterCr = false;
    return carried;
  }

  /** The stream ended inside the event: a line without its end is no evidence, unless it is too long and has the name. */
  cutOff(): CarriedReport | undefined {
    if (this.#valueBytes > this.#maxDataBytes && this.#valueNamed) this.#endLine();
    this.#held.truncate(this.#completeBytes);
    return this.close();
  }

  #readData(): FailureReport | undefined {
    return this.#over ? OMITTED : readEventData(this.#held.bytes());
  }

  /** Takes a part of the current line, all of it or not. */
  #take(scan: StreamScan, from: number, to: number): void {
    let at = from;
    while (at < to && this.#line < IN_VALUE) {
      const byte = scan.bytes[at];
      if (this.#line === AFTER_COLON) {
        this.#line = IN_VALUE;
        if (byte === SPACE) at += 1;
      } else if (byte === DATA_FIELD[this.#line]) {
        this.#line += 1;
        at += 1;
      } else {
        this.#line = OTHER_FIELD;
      }
    }
    if (this.#line === IN_VALUE && at < to) this.#takeValue(scan, at, to);
  }

  #takeValue(scan: StreamScan, from: number, to: number): void {
    this.#valueBytes += to - from;
    if (!this.#valueNamed) {
      this.#valueNamed = this.#name.found(scan, from, to);
      if (to === scan.bytes.length) this.#name.keepEdge(scan.bytes, from, to);
    }
    // Complete lines stay held when the current one goes over the limit: it may turn out to be no evidence.
    if (this.#fits()) this.#held.append(scan.bytes, from, to);
  }

  /** Whether the event's data is within the limit, the current line included. */
  #fits(): boolean {
    return !this.#over && this.#completeBytes + this.#valueBytes <= this.#maxDataBytes;
  }

  /** Gives back whether it was a blank line, which ends the event. */
  #endLine(): boolean {
    const line = this.#line;
    if (line === 0) return true;
    if (line >= DATA_WITHOUT_COLON && line <= IN_VALUE) this.#endValue();
    this.#line = 0;
    return false;
  }

  #endValue(): void {
    if (this.#fits()) {
      this.#held.appendByte(LF);
      this.#completeBytes = this.#held.length;
    } else {
      this.#over = true;
      this.#held.clear();
      this.#completeBytes = 0;
    }
    this.#named ||= this.#valueNamed;
    this.#valueBytes = 0;
    this.#valueNamed = false;
    this.#name.reset();
  }
}
