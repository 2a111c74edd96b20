import { safeGet } from '../../failures/foreign-error.ts';
import { type HeadersLike, headerValues } from '../headers-like.ts';
import { headersOf } from './provider-reply.ts';

/** What is known of a model call before it is sent; its prompt is not among it, and is not kept. */
export interface ModelCall {
  /** The address, where it is one. */
  readonly url: URL | undefined;
  /** Method and address without query and credentials, for people. */
  readonly target: string;
  /** `responses`, `chat_completions`, `messages`: what the path ends in. */
  readonly operation: string | undefined;
  readonly model: string | undefined;
  readonly signal: unknown;
  /** The client's own count of retries before this attempt, 0 for none. */
  readonly retries: number | undefined;
  /** The client's own time limit in whole seconds, rounded down. */
  readonly limitS: number | undefined;
}

/** A word of a path that names an action; a version, a model or an id has a digit or another sign. */
const WORD = /^[a-z_-]{1,40}$/i;
const MAX_WORDS = 2;
/** The model, where it is the first member of the body: looking further would cost reading every prompt. */
const LEADING_MODEL = /^\s{0,8}\{\s{0,8}"model"\s{0,8}:\s{0,8}"([^"\\]{1,200})"/;

/** Reads a fetch's arguments, whatever they are, without touching a body that is a stream. */
export function readCall(input: unknown, init: unknown): ModelCall {
  const url = addressOf(input);
  const method = text(safeGet(init, 'method')) ?? text(safeGet(input, 'method')) ?? 'GET';
  const headers = headersOf(init) ?? headersOf(input);
  return {
    url,
    target: url === undefined ? `${method} to the model` : `${method} ${url.origin}${url.pathname}`,
    operation: url === undefined ? undefined : operationOf(url.pathname),
    model: LEADING_MODEL.exec(text(safeGet(init, 'body')) ?? '')?.[1],
    signal: safeGet(init, 'signal') ?? safeGet(input, 'signal'),
    retries: wholeNumber(headers, 'x-stainless-retry-count'),
    limitS: wholeNumber(headers, 'x-stainless-timeout'),
  };
}

function addressOf(input: unknown): URL | undefined {
  const address = text(input) ?? text(safeGet(input, 'href')) ?? text(safeGet(input, 'url')) ?? '';
  return URL.canParse(address) ? new URL(address) : undefined;
}

/** The words at the end of a path, at most two: `/ng-rollout/r-1/v1/chat/completions` gives `chat_completions`. */
function operationOf(path: string): string | undefined {
  const words: string[] = [];
  for (const word of path.split('/').reverse()) {
    if (word === '' && words.length === 0) continue;
    if (!WORD.test(word) || words.length === MAX_WORDS) break;
    words.unshift(word);
  }
  return words.length === 0 ? undefined : words.join('_');
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A header of the clients that Stainless makes, OpenAI's and Anthropic's among them. */
function wholeNumber(headers: HeadersLike | undefined, name: string): number | undefined {
  const value = headerValues(headers, name)[0];
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}
