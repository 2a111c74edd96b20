import type { FailureReport } from '../../records/failure-report.ts';
import { OMITTED } from '../header.ts';

/** Reports that wait to be merged: each merge copies what was merged before. */
const MAX_WAITING = 512;

/** The reports of a stream, merged; only so much of them is kept, however many a peer sends. */
export class GatheredReports {
  #merged: FailureReport | undefined;
  #waiting: FailureReport[] = [];
  #left: number;

  /** @param maxBytes - most bytes of data whose reports are kept; default: any number */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#left = maxBytes;
  }

  /** What was gathered so far. */
  get report(): FailureReport | undefined {
    const [first, ...others] = this.#waiting;
    if (first === undefined) return this.#merged;
    this.#merged = this.#merged?.merge(first, ...others) ?? first.merge(...others);
    this.#waiting = [];
    return this.#merged;
  }

  /**
   * Adds a report. One that does not fit is kept no more than in that the whole says omitted, and after it no new event
   * is kept; events that are kept already cost nothing.
   *
   * @param bytes - of the data that it was read from
   */
  add(report: FailureReport, bytes: number): void {
    if (bytes > this.#left) {
      this.#left = 0;
      const merged = this.report;
      const isKnown = [...report.events.keys()].every((id) => merged?.events.has(id) === true);
      const added = isKnown ? report : OMITTED;
      this.#merged = merged?.merge(added) ?? added;
      return;
    }
    this.#left -= bytes;
    if (this.#waiting.push(report) >= MAX_WAITING) void this.report;
  }
}
