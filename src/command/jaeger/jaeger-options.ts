import type { OptionSpec } from '../arguments.ts';

/** Where Jaeger is. */
export const JAEGER_URL_OPTION: OptionSpec = { value: 'URL', help: 'Jaeger’s address, e.g. http://localhost:16686' };

/** How it is asked for all traces of a time. */
export const JAEGER_OPTIONS = optionsWith('24h');

/** How it is asked for single traces. */
export const FINDER_OPTIONS = optionsWith('30d');

function optionsWith(since: string): Readonly<Record<string, OptionSpec>> {
  return {
    since: {
      value: 'TIME',
      help: `read Jaeger’s traces from then on: 2026-05-04T10:00Z, or 90m, 24h, 7d ago (default ${since})`,
    },
    until: { value: 'TIME', help: 'the same for their end (default now, and an hour for clocks that are fast)' },
    service: { value: 'NAME', help: 'read Jaeger’s traces of this service only; repeatable' },
    timeout: { value: 'SECONDS', help: 'of each request to Jaeger (default 30)' },
  };
}
