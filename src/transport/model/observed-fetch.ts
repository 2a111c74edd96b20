import { guarded } from '../guard.ts';
import { ModelAttempt } from './attempt.ts';
import { readCall } from './call.ts';
import { watchReply } from './reply-watch.ts';

/** The global `fetch`, or one with the same arguments. */
export type FetchFunction = (
  input: Parameters<typeof globalThis.fetch>[0],
  init?: Parameters<typeof globalThis.fetch>[1],
) => Promise<Response>;

/** What {@link observedFetch.with} takes. */
export interface ObservedFetchOptions {
  /** What sends the request. Default: the global `fetch`, as it is when a call is made. */
  readonly fetch?: FetchFunction | undefined;
  /** The events' `operation`. Default: the words at the end of the path, `chat_completions` for `/v1/chat/completions`. */
  readonly operation?: string | undefined;
  /** The events' `details.model`. Default: the request's, when it is the first member of a body of JSON. */
  readonly model?: string | undefined;
}

/** See {@link observedFetch}. */
export interface ObservedFetch extends FetchFunction {
  /** Another one, with options. */
  with(options: ObservedFetchOptions): ObservedFetch;
}

/**
 * A `fetch` for model clients with retries of their own: `new OpenAI({ fetch: observedFetch })`,
 * `createOpenAI({ fetch: observedFetch })`, `axios.create({ adapter: 'fetch', env: { fetch: observedFetch } })`. Each HTTP
 * attempt that fails becomes a `model` event of the request being served: one that is not answered, is answered with a
 * status of 400 or more, or whose reply breaks off. The call itself stays as it is: the same arguments, the same Response
 * (never cloned), the same thrown error, no waiting.
 *
 * - Kinds: `transport_unreachable`, `transport_peer_drop`, `transport_timeout` and `transport_local_resource` by the
 *   error's codes; `provider_quota_exhausted` for 402 and for codes such as `insufficient_quota`; `provider_unavailable` for
 *   408, 429 and 5xx; `model_client:request_rejected` for other statuses; `model_client:request_failed` for an error that
 *   says nothing of these.
 * - A quota's code stands in the body: it is read as the bytes pass undici. A 429 whose body comes after its headers is
 *   described when the body is there, after 100 ms, or at the client's next attempt, whichever is first.
 * - An abort is the caller's wish and no failure. `AbortSignal.timeout` is a timeout; so is an abort of OpenAI's or
 *   Anthropic's client when its own time limit is over, as its request tells in whole seconds. For a shorter limit only
 *   `modelOperation` tells both apart; outside of it such an abort is `cancelled`.
 * - A failure report in the reply's header is observed too, and its failure is the event's explicit cause.
 */
export const observedFetch: ObservedFetch = observing({});

function observing(options: ObservedFetchOptions): ObservedFetch {
  const observed = async (...args: Parameters<FetchFunction>): Promise<Response> => {
    const send = options.fetch ?? globalThis.fetch;
    const attempt = guarded('observing a model attempt', () => startAttempt(args, options));
    if (attempt === undefined) return send(...args);
    let response: Response;
    try {
      response = await watchReply(attempt, () => send(...args));
    } catch (error) {
      guarded('observing a model attempt', () => attempt.rejected(error));
      throw error;
    }
    guarded('observing a model attempt', () => attempt.replied(response));
    return response;
  };
  return Object.assign(observed, { with: (more: ObservedFetchOptions) => observing({ ...options, ...more }) });
}

function startAttempt([input, init]: Parameters<FetchFunction>, options: ObservedFetchOptions): ModelAttempt {
  const call = readCall(input, init);
  return new ModelAttempt({
    ...call,
    operation: options.operation ?? call.operation,
    model: options.model ?? call.model,
  });
}
