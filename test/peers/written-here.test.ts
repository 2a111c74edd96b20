import http from 'node:http';
import {
  type EpisodeFailureResponse,
  FailureHeader,
  type FailureReportRecord,
} from 'opentelemetry-instrumentation-nemo-gym';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withPair } from './support/pair.ts';
import { askPython, callByPython, LINES } from './support/python.ts';
import { jsonFrom } from './support/servers.ts';

const pair = withPair();

/** Answers with a header of just so many bytes, which nobody of ours had in hand. */
const plain = http.createServer(({ url = '' }, response) => {
  response.setHeader(FailureHeader.NAME, 'x'.repeat(Number(url.slice(1)))).end();
});
let plainUrl: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  const address = plain.address();
  plainUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => {
  plain.close();
  plain.closeAllConnections();
});

const reasonsOf = (report: FailureReportRecord | null | undefined) =>
  Object.values(report?.events ?? {}).map((event) => event.failure_reason);
/** The most bytes of a header, as docs/wire.md has it. */
const LONGEST = 4096;
const CUT = '...[truncated]';

describe.each(LINES.flatMap((line) => [{ line, parser: 'C' } as const, { line, parser: 'Python' } as const]))(
  'aiohttp $line, parser in $parser',
  ({ line, parser }) => {
    it('reads the longest header that is sent, and of a longer report that it was omitted', async () => {
      const urls = [0, 1].map((more) => `${pair.node.url}/sized?bytes=${LONGEST + more}`);
      const [longest, longer] = await callByPython(urls, { line, parser });
      expect(longest).toMatchObject({ status: 500, body: 'Internal Server Error' });
      expect(longest?.values.map((value) => value.length)).toEqual([LONGEST]);
      expect(Object.keys(longest?.header?.events ?? {})).toHaveLength(2);
      expect(longer).toMatchObject({ status: 500, values: ['{"omitted":true}'], header: { omitted: true } });
    });

    // Of the line or of the value: that depends on the version, the parser, and whether the header comes first.
    it('reads a line of 8,190 bytes and refuses a value of more', async () => {
      const line8190 = 8190 - `${FailureHeader.NAME}: `.length;
      const [read, refused] = await callByPython([`${plainUrl}/${line8190}`, `${plainUrl}/8191`], { line, parser });
      expect(read?.values?.map((value) => value.length)).toEqual([line8190]);
      expect(refused?.refused).toMatch(/^ClientResponseError/);
    });
  },
);

describe.each(LINES)('aiohttp %s: models that forbid all other keys take whole', (line) => {
  it('a header, with the characters that JSON.stringify leaves as they are', async () => {
    const [call] = await callByPython([pair.node.at('/model')], { line });
    const { failure_id: id = '', events, omitted } = call?.header ?? {};
    expect(omitted).toBeUndefined();
    expect(events?.[id]).toMatchObject({
      failure_reason: 'Überlast \u007f \u2028 🔥',
      foreign_error: { exception_type: 'APITimeoutError', http_status: 504 },
    });
    expect(events?.[id]?.foreign_error?.message.endsWith(CUT)).toBe(true);
  });

  it('a header of ASCII with the one such character that no header may hold', async () => {
    const [call] = await callByPython([`${pair.node.url}/bare?reason=a%7Fb`], { line });
    expect(call?.status).toBe(500);
    expect(reasonsOf(call?.header)).toEqual(['a\u007fb']);
  });

  it('the field of a stream, in each dialect, far over the header’s limit, and of a text that was cut', async () => {
    const streams = ['responses', 'chat', 'messages', 'long', 'half'];
    const calls = await callByPython(
      streams.map((how) => `${pair.node.url}/stream?how=${how}`),
      { line },
    );
    expect(calls.map(({ values }) => values)).toEqual(streams.map(() => []));
    expect(calls.map(({ streamed }) => streamed?.omitted)).toEqual(streams.map(() => undefined));
    const reason = 'Die Verbindung riß ab';
    const long = '🔥'.repeat(2000 - CUT.length) + CUT;
    expect(calls.map(({ streamed }) => reasonsOf(streamed))).toEqual([
      ...[[reason], [reason], [reason]],
      ...[[long], ['halb \ufffd']],
    ]);
  });

  it('a row', async () => {
    const failing = pair.python.at('/v1/responses');
    const [call] = await callByPython([pair.node.at('/row', failing)], { line });
    expect(reasonsOf(call?.saved)).toEqual(['Der Anbieter gibt nichts mehr 🔥']);
    expect(call?.saved?.failure_id).toMatch(/^[0-9a-f]{32}$/);
  });
});

it('a failed episode’s envelope has its four members, the report beside it passes the strict models', async () => {
  const body: EpisodeFailureResponse = JSON.parse(await jsonFrom(pair.node.at('/episode')));
  const [episode, report] = await askPython([
    { what: 'episode', about: body.failure, strict: true },
    { what: 'report', about: body.failure_report, strict: true },
  ]);
  expect(episode).toEqual(body.failure);
  expect(episode).toMatchObject({ failure_kind: 'browser_env:page_crashed', stage: 'agent', terminal: true });
  expect(report).toEqual(body.failure_report);
  expect(body.steps).toBe(3);
});

it('a judge without a verdict answers 200, and its header passes the strict models', async () => {
  const [call] = await callByPython([pair.node.at('/verify')]);
  expect(call).toMatchObject({
    status: 200,
    body: { reward: 0, mask_sample: true, failure_kind: 'judge_failed', _ng_failure_class: 'judge_failed' },
  });
  const kinds = Object.values(call?.header?.events ?? {}).map((event) => event.failure_kind);
  expect(kinds.sort()).toEqual(['judge_failed', 'provider_unavailable']);
  expect(call?.header?.failure_id).toBeUndefined();
});
