import type { Span } from '@opentelemetry/api';
import { guarded } from '../transport/guard.ts';
import type { UndiciRequest } from '../transport/undici.ts';
import { undiciAddress, wantsReply } from './client-policy.ts';
import type { HookHost } from './hook.ts';
import { ObservedEvents } from './observed-events.ts';
import { readReplyHead } from './reply-head.ts';
import { addFailureEvents } from './span-events.ts';

/** What instrumentation-undici hands to a `responseHook`. */
export interface UndiciReply {
  /** The call, as undici describes it. */
  readonly request: UndiciRequest;
  /** Its reply. */
  readonly response: {
    /** Names and values by turns. */
    readonly headers: readonly unknown[];
  };
}

/** Shows the failures of a reply on the CLIENT span of its call, which is never the active one where we look. */
export function showOnClientSpan(host: HookHost, span: Span, { request, response }: UndiciReply): void {
  guarded('showing a reply on its client span', () => {
    const { settings } = host;
    if (!host.isActive() || !settings.spanEvents || !span.isRecording()) return;
    const { report } = readReplyHead(response.headers);
    if (report === undefined || !wantsReply(settings, () => undiciAddress(request))) return;
    addFailureEvents(span, new ObservedEvents({ report: report.asObservations(), origin: 'forwarded' }, settings));
  });
}
