import type { FailureReport } from '../records/failure-report.ts';
import type { Provenance } from './event-record.ts';
import { type NgFailureEvent, restore } from './ng-failure-event.ts';

/**
 * The failure that `report.failureId` names, rebuilt with its causes as explicit `cause`s and the same ids;
 * `undefined` when the report names none, or is none.
 */
export function rebuildFailure(report: FailureReport | undefined): NgFailureEvent | undefined {
  return report === undefined ? undefined : rebuild(report, 'reply');
}

/** The same for a chain that came another way than by a reply. */
export function rebuild(report: FailureReport, provenance: Provenance): NgFailureEvent | undefined {
  const chain = [];
  for (let id = report.failureId; id !== undefined; ) {
    const event = report.events.get(id);
    if (event === undefined) break;
    chain.push(event);
    id = event.cause_id;
  }
  // From the innermost cause outwards, so that a long chain needs no recursion.
  let rebuilt: NgFailureEvent | undefined;
  for (const event of chain.reverse()) rebuilt = restore(event, rebuilt, provenance);
  return rebuilt;
}
