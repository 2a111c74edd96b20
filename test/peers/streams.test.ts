import { FailureReportRow, type Row } from 'opentelemetry-instrumentation-nemo-gym';
import { describe, expect, it } from 'vitest';
import { withPair } from './support/pair.ts';
import { callByPython } from './support/python.ts';
import { jsonFrom, post } from './support/servers.ts';
import { shows, spansWhen } from './support/spans.ts';

const pair = withPair();
const REASON = 'Die Verbindung riß ab';

const withoutIds = (text: string) => text.replaceAll(/[0-9a-f]{32}/g, 'ID');
const relay = (upstream: string) => `relay?upstream=${encodeURIComponent(upstream)}`;

describe('a stream of Python through Node', () => {
  it.each(['plain', 'crlf', 'cr', 'utf8', 'long'])('%s: its bytes are unchanged, its report is heard', async (how) => {
    const source = `${pair.python.url}/stream/${how}`;
    const plain = await (await post(source)).text();
    const response = await post(`${pair.node.url}/${relay(source)}`);
    const relayed = await response.text();
    expect(withoutIds(relayed)).toBe(withoutIds(plain));
    const [id = ''] = /[0-9a-f]{32}/.exec(relayed) ?? [];
    await expect(spansWhen(pair.spans, 1, (span) => shows(span, id))).resolves.not.toEqual([]);
  });

  it('and back to Python, in whose reader it is the same report', async () => {
    const source = `${pair.python.url}/stream/long`;
    const through = `${pair.python.url}/${relay(`${pair.node.url}/${relay(source)}`)}`;
    const [direct, relayed] = await callByPython([source, through]);
    const reasons = [direct, relayed].map((call) =>
      Object.values(call?.streamed?.events ?? {}).map((event) => event.failure_reason),
    );
    expect(reasons).toEqual([['🔥'.repeat(2000)], ['🔥'.repeat(2000)]]);
  });
});

it('a stream of Node through Python is read at the end, and saved as the same row', async () => {
  const source = `${pair.node.url}/stream?how=responses`;
  const through = `${pair.node.url}/${relay(`${pair.python.url}/${relay(source)}`)}`;
  const [call] = await callByPython([through]);
  const { failure_id: id = '', events } = call?.streamed ?? {};
  expect(events?.[id]?.failure_reason).toBe(REASON);
  expect(FailureReportRow.report(call?.row ?? {}).toJSON()).toEqual(call?.streamed);
});

it.each(['plain', 'nested', 'chat', 'long'])('both collectors save a stream of Python alike: %s', async (how) => {
  const source = `${pair.python.url}/stream/${how}`;
  const rows = await Promise.all(
    [pair.node, pair.python].map(async (server): Promise<Row> => JSON.parse(await jsonFrom(server.at('/row', source)))),
  );
  const reports = rows.map((row) => FailureReportRow.report(row));
  expect(reports.map(({ events }) => events.size)).toEqual([1, 1]);
  const [first, second] = rows.map((row) => JSON.parse(withoutIds(JSON.stringify(row))));
  expect(first).toEqual(second);
});
