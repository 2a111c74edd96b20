import { isPlainObject } from '../../../src/records/json.ts';

/** What Jaeger's API answers, in a form in which two Jaegers can be compared. */
export async function answerOf(url: string): Promise<object> {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  const [type] = (response.headers.get('content-type') ?? '').split(';');
  const body = await response.text();
  if (type === 'text/html') return { status: response.status, type };
  const answer: Record<string, unknown> = JSON.parse(body);
  const { data } = answer;
  const list = Array.isArray(data) ? data.map((member) => (isPlainObject(member) ? traceOf(member) : member)) : data;
  // The services' order is chance.
  const sorted = url.endsWith('/services') && Array.isArray(list) ? list.sort() : list;
  return { status: response.status, type, answer: { ...answer, data: sorted } };
}

/** Spans by their ids, each with the name of its service, and attributes by their names: their order is chance. */
function traceOf({ traceID, spans, processes, ...rest }: Readonly<Record<string, unknown>>): object {
  const named = members(spans).map(({ processID, tags, references, logs, ...span }) => {
    const process = isPlainObject(processes) ? processes[String(processID)] : undefined;
    const service = isPlainObject(process) ? process.serviceName : undefined;
    const events = members(logs).map(({ fields, ...event }) => ({ ...event, fields: byName(fields) }));
    return { ...span, service, tags: byName(tags), references: members(references), events };
  });
  return { traceID, rest, spans: named.sort((one, other) => (text(one) < text(other) ? -1 : 1)) };
}

function byName(tags: unknown): readonly object[] {
  return [...members(tags)].sort((one, other) => (text(one) < text(other) ? -1 : 1));
}

function members(list: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter((member) => isPlainObject(member)) : [];
}

function text(value: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(value.key ?? value.spanID ?? value);
}
