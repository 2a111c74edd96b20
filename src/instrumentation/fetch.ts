import { sharedState } from '../records/shared-state.ts';
import { type UndiciRequest, UndiciWatch } from '../transport/undici.ts';
import { Call } from './call.ts';
import { undiciAddress, wantsReply } from './client-policy.ts';
import type { HookHost } from './hook.ts';

/** One record a request for all copies of the package. */
const calls = sharedState('undici-calls', () => new WeakMap<UndiciRequest, Call>());

/** Watches the replies to global `fetch` and to the calls of the `undici` package. */
export class FetchHook extends UndiciWatch {
  constructor(host: HookHost) {
    super('watching a fetch call', {
      created: (request) => {
        if (!calls.has(request) && host.isActive()) calls.set(request, new Call(this));
      },
      replied: (request, { headers }) => {
        const call = this.#callOf(request);
        if (call === undefined || !wantsReply(host.settings, () => undiciAddress(request))) return undefined;
        return call.replied(headers) ? (chunk) => call.received(chunk) : undefined;
      },
      ended: (request) => this.#callOf(request)?.ended(),
      broke: (request) => this.#callOf(request)?.ended(),
    });
  }

  #callOf(request: UndiciRequest): Call | undefined {
    const call = calls.get(request);
    return call?.owner === this ? call : undefined;
  }
}
