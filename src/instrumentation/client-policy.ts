import type { ClientRequest, IncomingMessage } from 'node:http';
import { isBelieved } from '../transport/believed.ts';
import { saysYes } from '../transport/reply/policy.ts';
import type { UndiciRequest } from '../transport/undici.ts';
import type { Settings } from './settings.ts';

/** Whether the reply of a call is looked at; asked when its headers arrive, and without a policy nothing is asked. */
export function wantsReply({ ignoreReply }: Settings, address: () => URL | undefined): boolean {
  if (ignoreReply !== undefined) {
    const url = address();
    if (url !== undefined && saysYes('client.ignoreRequest', () => ignoreReply(url))) return false;
  }
  return isBelieved(address);
}

/** Where a call of `fetch` or undici goes. */
export function undiciAddress({ origin, path }: UndiciRequest): URL | undefined {
  if (typeof path !== 'string') return undefined;
  // A URL's own text ends in its path.
  return urlOf(String(origin).replace(/\/$/, ''), path);
}

/**
 * Where a call of `node:http` goes: to the host that it was given, not the one that a `Host` header of the app's own
 * names. A path that is a whole address, as a proxy gets it, is where the reply comes from in the end.
 */
export function httpAddress(request: ClientRequest, response: IncomingMessage): URL | undefined {
  const host = request.host.includes(':') ? `[${request.host}]` : request.host;
  const named = urlOf(`${request.protocol}//${String(request.getHeader('host'))}`, '/');
  const port = named !== undefined && named.hostname === host.toLowerCase() ? named.port : response.socket.remotePort;
  return urlOf(`${request.protocol}//${host}:${port ?? ''}`, request.path);
}

function urlOf(origin: string, path: string): URL | undefined {
  // Joined, and not read one against the other: a path `//other/x` would change the host.
  const address = path.startsWith('/') ? origin + path : path;
  return URL.canParse(address) ? new URL(address) : undefined;
}
