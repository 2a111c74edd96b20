const AGENTS = { boundary: 'agent', failure_kind: 'agent_run_error' } as const;
const MODELS = { boundary: 'model', failure_kind: 'transport_timeout' } as const;

interface Told {
  readonly boundary: string;
  readonly failure_kind: string;
  readonly failure_reason?: string;
  readonly cause_id?: string;
}

/** A report's text, written here by hand and not by the package. `own` is the reply's own failure, each then its cause. */
export function reportText(own: readonly string[], others: readonly string[] = []): string {
  const chain = own.map((id, index) => eventText(id, { ...AGENTS, ...causeOf(own[index + 1]) }));
  return textOf(own[0], [...chain, ...others.map((id) => eventText(id, AGENTS))]);
}

/** The report of a reply whose request met the failures of another server's reply. */
export function forwardedText(...ids: readonly string[]): string {
  return textOf(
    undefined,
    ids.map((id) => eventText(id, MODELS)),
  );
}

export function textOf(failureId: string | undefined, events: readonly string[]): string {
  return `{${failureId === undefined ? '' : `"failure_id":"${failureId}",`}"events":{${events.join(',')}}}`;
}

export function eventText(id: string, told: Told): string {
  const { boundary, failure_kind, failure_reason = `reason of ${id}`, cause_id } = told;
  const cause = cause_id === undefined ? '' : `,"cause_id":"${cause_id}"`;
  return `"${id}":{"event_id":"${id}","boundary":"${boundary}","failure_kind":"${failure_kind}","failure_reason":"${failure_reason}"${cause}}`;
}

const causeOf = (id: string | undefined): { cause_id?: string } => (id === undefined ? {} : { cause_id: id });
