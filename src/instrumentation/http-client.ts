import type { ClientRequest, IncomingMessage } from 'node:http';
import { sharedState } from '../records/shared-state.ts';
import { ChannelSubscriptions } from '../transport/channels.ts';
import { Call } from './call.ts';
import { httpAddress, wantsReply } from './client-policy.ts';
import { watchIncoming } from './event-stream.ts';
import type { HookHost } from './hook.ts';

/** One record a request for all copies of the package. */
const calls = sharedState('http-calls', () => new WeakMap<ClientRequest, Call>());

/** Watches the replies to calls of `node:http` and `node:https`. */
export class HttpClientHook extends ChannelSubscriptions {
  constructor(host: HookHost) {
    super('watching an HTTP call', {
      // Where the call is made; since Node 22. Before that its start is the nearest moment.
      'http.client.request.created': (message) => this.#onRequest(host, message),
      'http.client.request.start': (message) => this.#onRequest(host, message),
      'http.client.response.finish': (message) => this.#onReply(host, message),
    });
  }

  #onRequest(host: HookHost, message: object): void {
    const request = requestOf(message);
    if (request === undefined || calls.has(request) || !host.isActive()) return;
    calls.set(request, new Call(this));
  }

  #onReply(host: HookHost, message: object): void {
    const request = requestOf(message);
    const response = responseOf(message);
    if (request === undefined || response === undefined) return;
    // On Node 20 a server may answer before the request has been sent to its end.
    this.#onRequest(host, message);
    const call = calls.get(request);
    if (call?.owner !== this || !wantsReply(host.settings, () => httpAddress(request, response))) return;
    if (call.replied(response.rawHeaders)) watchIncoming(response, call);
  }
}

// Node documents what these channels carry; other senders are not told apart from it.
function requestOf(message: object): ClientRequest | undefined {
  return 'request' in message ? (message.request as ClientRequest) : undefined;
}

function responseOf(message: object): IncomingMessage | undefined {
  return 'response' in message ? (message.response as IncomingMessage) : undefined;
}
