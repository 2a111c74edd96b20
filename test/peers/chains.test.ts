import { type FailureEvent, FailureHeader, FailureReportRow } from 'opentelemetry-instrumentation-nemo-gym';
import { describe, expect, it } from 'vitest';
import { withPair } from './support/pair.ts';
import { callByPython } from './support/python.ts';
import { jsonFrom, post } from './support/servers.ts';
import { type SpanLine, shows, spansWhen, upwards } from './support/spans.ts';

const pair = withPair();

/** Three servers, the innermost last, and the kinds of their failures. */
const CHAINS = [
  {
    path: 'Node → Python → Node',
    url: () => pair.node.at('/agent', pair.python.at('/run', pair.node.at('/model'))),
    kinds: ['agent_run_error', 'agent_run_error', 'provider_unavailable'],
    languages: ['node', 'python', 'node'],
  },
  {
    path: 'Python → Node → Python',
    url: () => pair.python.at('/run', pair.node.at('/agent', pair.python.at('/v1/responses'))),
    kinds: ['agent_run_error', 'agent_run_error', 'provider_quota_exhausted'],
    languages: ['python', 'node', 'python'],
  },
] as const;

type Report = ReturnType<typeof FailureReportRow.report>;

/** The events from the outermost to its first cause. */
function chainOf(report: Report | undefined): FailureEvent[] {
  const chain: FailureEvent[] = [];
  for (let id = report?.failureId; id !== undefined; id = chain.at(-1)?.cause_id) {
    const event = report?.events.get(id);
    if (event === undefined) throw new Error(`no event ${id}`);
    chain.push(event);
  }
  return chain;
}

/** What the servers raised, as they had it in hand. */
async function allRaised(): Promise<FailureEvent[]> {
  const lists = await Promise.all(
    [pair.node, pair.python].map(
      async ({ url }): Promise<FailureEvent[]> => JSON.parse(await jsonFrom(`${url}/raised`)),
    ),
  );
  return lists.flat();
}

describe.each(CHAINS)('$path', ({ url, kinds, languages }) => {
  it('keeps each event as its server raised it: ids, causes and all', async () => {
    const [call] = await callByPython([url()]);
    expect(call).toMatchObject({ status: 500, body: 'Internal Server Error' });
    const chain = chainOf(FailureReportRow.report(call?.row ?? {}));
    expect(chain.map((event) => event.failure_kind)).toEqual(kinds);
    expect(Object.keys(call?.header?.events ?? {})).toHaveLength(3);
    const raised = new Map((await allRaised()).map((event) => [event.event_id, event]));
    expect(chain).toEqual(chain.map((event) => raised.get(event.event_id)));
  });

  it('is saved as the same row in either language', async () => {
    const [call] = await callByPython([url()]);
    const [value = ''] = call?.values ?? [];
    const report = FailureHeader.decode({ [FailureHeader.NAME]: value });
    expect(FailureReportRow.mergedInto({ _ng_rollout_id: 'r-1', reward: 0 }, report)).toEqual(call?.row);
    expect(FailureReportRow.report(call?.row ?? {}).toJSON()).toEqual(call?.header);
    // Each language's collector, of a failure of its own.
    const [byNode, byPython] = await callByPython([pair.node.at('/row', url()), pair.python.at('/row', url())]);
    expect(byNode?.status).toBe(200);
    expect(withoutIds(byPython?.body)).toEqual(withoutIds(byNode?.body));
  });

  it('is one trace, which shows the ids on Node’s spans', async () => {
    const [call] = await callByPython([url()], { spans: pair.spans.client });
    const chain = chainOf(FailureReportRow.report(call?.row ?? {}));
    // Python's root, and for each of three calls the caller's span and the server's.
    const spans = await spansWhen(pair.spans, 7, (span) => span.traceId === call?.trace && isCall(span));
    checkPath(spans, ['python', 'python', languages[0], languages[0], languages[1], languages[1], languages[2]]);
    const throughNode = chain.slice(languages.indexOf('node')).map((event) => event.event_id);
    expect(throughNode.filter((id) => !spans.some((span) => shows(span, id)))).toEqual([]);
  });

  it('is told the same in a trace that nobody samples', async () => {
    const { client } = pair.spans;
    const [call] = await callByPython([url()], { spans: client, sampler: 'always_off' });
    expect(chainOf(FailureReportRow.report(call?.row ?? {})).map((event) => event.failure_kind)).toEqual(kinds);
    const [sampled] = await callByPython([url()], { spans: client });
    await spansWhen(pair.spans, 7, (span) => span.traceId === sampled?.trace && isCall(span));
    expect(await spansWhen(pair.spans, 0, (span) => span.traceId === call?.trace)).toEqual([]);
  });
});

it('a trace that Node began goes on through Python', async () => {
  const response = await post(pair.node.at('/agent', pair.python.at('/run', pair.node.at('/model'))));
  const id = FailureHeader.decode(response.headers)?.failureId ?? '';
  const [raising] = await spansWhen(pair.spans, 1, (span) => shows(span, id));
  const spans = await spansWhen(pair.spans, 5, (span) => span.traceId === raising?.traceId && isCall(span));
  checkPath(spans, ['node', 'node', 'python', 'python', 'node']);
});

it('a failure that a server recovered from travels on as observed, through both', async () => {
  const url = pair.python.at('/run', pair.node.at('/recovered', pair.python.at('/v1/responses')));
  const [call] = await callByPython([url]);
  expect(call).toMatchObject({ status: 200, body: { reward: 1 } });
  expect(call?.header?.failure_id).toBeUndefined();
  expect(Object.values(call?.header?.events ?? {})).toMatchObject([{ failure_kind: 'provider_quota_exhausted' }]);
});

/** A row whose ids are their places in the chain. */
function withoutIds(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) throw new Error('no row');
  const ids = chainOf(FailureReportRow.report(row)).map((event) => event.event_id);
  expect(ids).toHaveLength(3);
  return JSON.parse(JSON.stringify(row).replaceAll(/[0-9a-f]{32}/g, (id) => `event ${ids.indexOf(id)}`));
}

/** FastAPI's instrumentation has spans for the sending and receiving inside a request as well. */
function isCall({ name }: SpanLine): boolean {
  return !/ http (send|receive)$/.test(name);
}

/** The spans are one line from the innermost server up to the root, in these languages from the root down. */
function checkPath(spans: readonly SpanLine[], languages: readonly string[]): void {
  expect(spans).toHaveLength(languages.length);
  const paths = spans.map((span) => upwards(span, spans));
  const longest = paths.find((path) => path.length === languages.length);
  expect(longest?.map(({ language }) => language).reverse()).toEqual(languages);
  expect(longest?.at(-1)?.parentSpanId ?? null).toBeNull();
}
