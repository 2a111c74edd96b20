import { FetchHook } from './fetch.ts';
import type { Hook, HookHost } from './hook.ts';
import { HttpClientHook } from './http-client.ts';
import { Mirror, type MirrorHost } from './mirror.ts';
import { ServerHook } from './server.ts';

/** All that an instrumentation turns on and off together. */
export function makeHooks(host: HookHost & MirrorHost): readonly Hook[] {
  return [new Mirror(host), new ServerHook(host), new HttpClientHook(host), new FetchHook(host)];
}
