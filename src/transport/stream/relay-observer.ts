import { context } from '@opentelemetry/api';
import { guarded } from '../guard.ts';
import { RequestFailureLog } from '../request-log.ts';
import { requestStorage } from '../request-scope.ts';
import { StreamFailureReportReader } from './stream-reader.ts';

/**
 * Reads what passes through a relay, and records once what it carried: in the request and context in which the relaying
 * began, wherever it ends. Nothing here throws.
 */
export class RelayObserver {
  readonly #reader = new StreamFailureReportReader();
  readonly #log = RequestFailureLog.current();
  readonly #context = context.active();

  /** @param encoding - how the bytes of a stream became text; default UTF-8 */
  see(chunk: unknown, encoding: BufferEncoding = 'utf8'): void {
    guarded('reading a relayed stream', () => {
      if (typeof chunk === 'string') this.#seeText(chunk, encoding);
      else if (chunk instanceof Uint8Array) this.#reader.feed(chunk);
      else if (ArrayBuffer.isView(chunk)) {
        this.#reader.feed(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      } else if (chunk instanceof ArrayBuffer) this.#reader.feed(new Uint8Array(chunk));
    });
  }

  /** The stream is over, however it ended; only the first call counts. */
  end(): void {
    guarded('observing a relayed stream', () => {
      // A relay made outside a request must not report to the request in which it happens to end, so the log is set
      // also where there is none.
      requestStorage.run({ log: this.#log }, () => context.with(this.#context, () => this.#reader.observe()));
    });
  }

  #seeText(text: string, encoding: BufferEncoding): void {
    if (encoding === 'utf8' || encoding === 'utf-8') this.#reader.feedText(text);
    else this.#reader.feed(Buffer.from(text, encoding));
  }
}
