import { sharedState } from '../records/shared-state.ts';
import { Call } from './call.ts';
import { undiciAddress, wantsReply } from './client-policy.ts';
import { type UndiciRequest, watchOnData } from './event-stream.ts';
import { ChannelSubscriptions, type HookHost } from './hook.ts';

/** One record a request for all copies of the package. */
const calls = sharedState('undici-calls', () => new WeakMap<UndiciRequest, Call>());

const SWITCHING_PROTOCOLS = 101;

/** Watches the replies to global `fetch`, which is an undici inside Node, and to those of the `undici` package. */
export class FetchHook extends ChannelSubscriptions {
  readonly #host: HookHost;

  constructor(host: HookHost) {
    super('watching a fetch call', {
      'undici:request:create': (message) => this.#onRequest(message),
      'undici:request:headers': (message) => this.#onReply(message),
      'undici:request:bodyChunkReceived': (message) => this.#onChunk(message),
      'undici:request:trailers': (message) => this.#callOf(message)?.ended(),
      'undici:request:error': (message) => this.#callOf(message)?.ended(),
    });
    this.#host = host;
  }

  #onRequest(message: object): void {
    const request = requestOf(message);
    if (request === undefined || calls.has(request) || !this.#host.isActive()) return;
    calls.set(request, new Call(this));
  }

  #onReply(message: object): void {
    const request = requestOf(message);
    const call = this.#callOf(message);
    const response: unknown = 'response' in message ? message.response : undefined;
    if (request === undefined || call === undefined || !isReply(response)) return;
    // Early hints come on the same channel; the reply itself is still to come.
    if (response.statusCode < 200 && response.statusCode !== SWITCHING_PROTOCOLS) return;
    if (!wantsReply(this.#host.settings, () => undiciAddress(request))) return;
    if (call.replied(response.headers)) watchOnData(request, call);
  }

  #onChunk(message: object): void {
    const chunk: unknown = 'chunk' in message ? message.chunk : undefined;
    if (chunk instanceof Uint8Array) this.#callOf(message)?.received(chunk);
  }

  #callOf(message: object): Call | undefined {
    const request = requestOf(message);
    const call = request === undefined ? undefined : calls.get(request);
    return call?.owner === this ? call : undefined;
  }
}

function requestOf(message: object): UndiciRequest | undefined {
  const request: unknown = 'request' in message ? message.request : undefined;
  return typeof request === 'object' && request !== null ? request : undefined;
}

function isReply(value: unknown): value is { readonly statusCode: number; readonly headers: readonly unknown[] } {
  if (typeof value !== 'object' || value === null || !('statusCode' in value) || !('headers' in value)) return false;
  return typeof value.statusCode === 'number' && Array.isArray(value.headers);
}
