import { ChannelSubscriptions } from './channels.ts';
import { guarded } from './guard.ts';

/** What undici's channels name a request by. Until Node 24 the body's bytes pass its `onData`. */
export interface UndiciRequest {
  readonly origin?: unknown;
  readonly path?: unknown;
  onData?(...args: unknown[]): unknown;
}

/** The head of a reply. */
export interface UndiciHead {
  readonly statusCode: number;
  /** Names and values by turns. */
  readonly headers: readonly unknown[];
}

/** Takes bytes of a reply's body, as they came from the socket. */
type TakeBytes = (chunk: Uint8Array) => void;

/** Hears how requests go on, beside the app's own reading of their replies. */
export interface UndiciListener {
  /** A request is made. The context is the caller's; later it can be that of another request on the same socket. */
  created(request: UndiciRequest): void;
  /** Its reply has begun. @returns what takes the bytes of the body, where they are wanted */
  replied(request: UndiciRequest, head: UndiciHead): TakeBytes | undefined;
  /** The whole reply arrived. */
  ended(request: UndiciRequest): void;
  /** There will be no reply, it broke off, or its reader gave it up. */
  broke(request: UndiciRequest, error: unknown): void;
}

/** A body whose bytes are wanted. */
interface Body {
  readonly take: TakeBytes;
  /** How many chunks the channel told of. */
  told: number;
}

const SWITCHING_PROTOCOLS = 101;

/**
 * Watches the requests of global `fetch`, which is an undici inside Node, and of the `undici` package. The replies are
 * never touched: `clone()` and `tee()` hold memory, and cancelling one branch waits for the other
 * (open-telemetry/opentelemetry-js#4888).
 */
export class UndiciWatch extends ChannelSubscriptions {
  /** @param what - names the work in the diagnostic line for a fault */
  constructor(what: string, listener: UndiciListener) {
    const bodies = new WeakMap<UndiciRequest, Body>();
    super(what, {
      'undici:request:create': ofRequest((request) => listener.created(request)),
      'undici:request:headers': ofRequest((request, message) => {
        const head: unknown = 'response' in message ? message.response : undefined;
        // Early hints come on the same channel; the reply itself is still to come.
        if (!isHead(head) || (head.statusCode < 200 && head.statusCode !== SWITCHING_PROTOCOLS)) return;
        const take = listener.replied(request, head);
        if (take === undefined) return;
        const body = { take, told: 0 };
        bodies.set(request, body);
        watchOnData(what, request, body);
      }),
      'undici:request:bodyChunkReceived': ofRequest((request, message) => {
        const body = bodies.get(request);
        const chunk: unknown = 'chunk' in message ? message.chunk : undefined;
        if (body === undefined || !(chunk instanceof Uint8Array)) return;
        body.told += 1;
        body.take(chunk);
      }),
      'undici:request:trailers': ofRequest((request) => listener.ended(request)),
      'undici:request:error': ofRequest((request, message) => {
        listener.broke(request, 'error' in message ? message.error : undefined);
      }),
    });
  }
}

function ofRequest(hear: (request: UndiciRequest, message: object) => void): (message: object) => void {
  return (message) => {
    const request: unknown = 'request' in message ? message.request : undefined;
    if (typeof request === 'object' && request !== null) hear(request, message);
  };
}

function isHead(value: unknown): value is UndiciHead {
  if (typeof value !== 'object' || value === null || !('statusCode' in value) || !('headers' in value)) return false;
  return typeof value.statusCode === 'number' && Array.isArray(value.headers);
}

/**
 * Node 20 and 22 have no channel for body chunks, only the method that undici's parser hands them to. On Node 24 a
 * request has both: the channel comes first, and what it told of is not taken again.
 */
function watchOnData(what: string, request: UndiciRequest, body: Body): void {
  const { onData } = request;
  if (typeof onData !== 'function') return;
  request.onData = function onDataWatched(this: UndiciRequest, ...args: unknown[]): unknown {
    const { told } = body;
    const result: unknown = Reflect.apply(onData, this, args);
    const [chunk] = args;
    if (body.told === told && chunk instanceof Uint8Array) guarded(what, () => body.take(chunk));
    return result;
  };
}
