import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tellFault } from '../transport/guard.ts';
import { saysYes } from '../transport/reply/policy.ts';
import { serveRequest } from '../transport/reply/serve-request.ts';
import { ignoredRequest, SERVED, type ServedOptions, type ServedRequest } from '../transport/reply/served-request.ts';
import { requestStorage } from '../transport/request-scope.ts';
import type { Hook, HookHost } from './hook.ts';

const REQUEST_START = 'http.server.request.start';

interface RequestStart {
  readonly request: IncomingMessage & { [SERVED]?: ServedRequest | undefined };
  readonly response: ServerResponse;
}

/**
 * Gives each request that `node:http` and `node:https` serve a scope of its own. The channel fires before any
 * listener, and needs no patch: a wrapped `Server.prototype.emit` would cost instrumentation-http its server spans
 * (opentelemetry-js#4692).
 */
export class ServerHook implements Hook {
  readonly #host: HookHost;
  readonly #options: ServedOptions;
  readonly #onStart: (message: unknown) => void;
  #enabled = false;
  #subscribed = false;
  #open = 0;

  constructor(host: HookHost) {
    this.#host = host;
    this.#options = {
      get maxHeaderBytes() {
        return host.settings.maxHeaderBytes;
      },
      get policy() {
        return host.settings.replyPolicy;
      },
      onClosed: () => this.#requestClosed(),
    };
    this.#onStart = (message) => {
      try {
        if (isRequestStart(message)) this.#requestStarted(message);
      } catch (error) {
        tellFault('opening a request', error);
      }
    };
  }

  enable(): void {
    this.#enabled = true;
    if (this.#subscribed) return;
    this.#subscribed = true;
    subscribe(REQUEST_START, this.#onStart);
  }

  disable(): void {
    this.#enabled = false;
    this.#unsubscribeWhenIdle();
  }

  #requestStarted({ request, response }: RequestStart): void {
    if (this.#enabled && this.#host.isActive() && !this.#isIgnored(request)) {
      const served = serveRequest(request, response, this.#options);
      if (served === undefined) return;
      this.#open += 1;
      requestStorage.enterWith(served);
    } else if (this.#open > 0) {
      leaveScope();
    }
  }

  #isIgnored(request: RequestStart['request']): boolean {
    const { ignoreRequest } = this.#host.settings;
    if (ignoreRequest === undefined) return false;
    // Another instance serves it, or let it be.
    if (request[SERVED] !== undefined) return false;
    if (!saysYes('server.ignoreRequest', () => ignoreRequest(request))) return false;
    request[SERVED] = ignoredRequest();
    return true;
  }

  #requestClosed(): void {
    this.#open -= 1;
    if (!this.#enabled) this.#unsubscribeWhenIdle();
  }

  /**
   * The store stays on a kept-alive connection. As long as a request is open a pipelined one would meet its log there,
   * so someone must still be listening; after that the store is empty anyway.
   */
  #unsubscribeWhenIdle(): void {
    if (!this.#subscribed || this.#open > 0) return;
    this.#subscribed = false;
    unsubscribe(REQUEST_START, this.#onStart);
  }
}

function leaveScope(): void {
  if (requestStorage.getStore() !== undefined) requestStorage.enterWith({ log: undefined });
}

function isRequestStart(message: unknown): message is RequestStart {
  return typeof message === 'object' && message !== null && 'request' in message && 'response' in message;
}
