import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { guarded } from './guard.ts';

type Handler = (message: unknown) => void;

/** Subscriptions to diagnostics channels, made and ended together. */
export class ChannelSubscriptions {
  readonly #handlers: (readonly [channel: string, handler: Handler])[] = [];
  #subscribed = false;

  /**
   * @param what - names the work in the diagnostic line for a fault: Node makes an uncaughtException of what a
   * subscriber throws
   */
  constructor(what: string, handlers: Readonly<Record<string, (message: object) => void>>) {
    for (const [channel, handler] of Object.entries(handlers)) {
      this.#handlers.push([channel, (message) => guarded(what, () => callWith(handler, message))]);
    }
  }

  enable(): void {
    if (this.#subscribed) return;
    this.#subscribed = true;
    for (const [channel, handler] of this.#handlers) subscribe(channel, handler);
  }

  disable(): void {
    if (!this.#subscribed) return;
    this.#subscribed = false;
    for (const [channel, handler] of this.#handlers) unsubscribe(channel, handler);
  }
}

function callWith(handler: (message: object) => void, message: unknown): void {
  if (typeof message === 'object' && message !== null) handler(message);
}
