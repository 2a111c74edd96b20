import type { OptionSpec } from '../arguments.ts';

/** Where Jaeger is. */
export const JAEGER_URL_OPTION: OptionSpec = { value: 'URL', help: 'Jaeger’s address, e.g. http://localhost:16686' };

/** How it is asked. */
export const JAEGER_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  since: {
    value: 'TIME',
    help: 'read Jaeger’s traces from then on: 2026-05-04T10:00Z, or 90m, 24h, 7d ago (default 24h)',
  },
  until: { value: 'TIME', help: 'the same for their end (default now)' },
  service: { value: 'NAME', help: 'read Jaeger’s traces of this service only; repeatable' },
  timeout: { value: 'SECONDS', help: 'of each request to Jaeger (default 30)' },
};
