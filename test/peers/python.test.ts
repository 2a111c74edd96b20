import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HEADER_MAX_BYTES } from '../../src/records/wire.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { FailureReportRow } from '../../src/transport/row.ts';
import { callByPython, Peer, type SpanLine, spansIn } from './support/peers.ts';

const folder = mkdtempSync(join(tmpdir(), 'ng-peers-'));
const NODE_SPANS = join(folder, 'node.jsonl');
const PYTHON_SPANS = join(folder, 'python.jsonl');
const ROLLOUT = '/ng-rollout/r-1';

let node: Peer;
let python: Peer;
beforeAll(async () => {
  [node, python] = await Promise.all([Peer.node(NODE_SPANS), Peer.python(PYTHON_SPANS)]);
});
afterAll(async () => {
  await Promise.all([node?.stop(), python?.stop()]);
  rmSync(folder, { recursive: true });
});

const through = (server: Peer, route: string, upstream: string): string =>
  `${server.url}${ROLLOUT}${route}?upstream=${encodeURIComponent(upstream)}`;
const post = (url: string): Promise<Response> => fetch(url, { method: 'POST' });

describe.each(['3.9', '3.11', '3.14'])('aiohttp %s', (line) => {
  const call = (url: string) => callByPython(url, line === '3.14' ? {} : { line });

  it('reads the longest header that is sent, and what is longer as omitted', async () => {
    const longest = await call(`${node.url}/sized?bytes=${HEADER_MAX_BYTES}`);
    expect(longest.aiohttp).toMatch(new RegExp(`^${line.replace('.', '\\.')}\\.`));
    expect(longest).toMatchObject({ status: 500, body: 'Internal Server Error' });
    expect(longest.values.map((value) => value.length)).toEqual([HEADER_MAX_BYTES]);
    expect(Object.keys(longest.header?.events ?? {})).toHaveLength(2);

    const longer = await call(`${node.url}/sized?bytes=${HEADER_MAX_BYTES + 1}`);
    expect(longer.values).toEqual(['{"omitted":true}']);
  });

  it('reads our header, stream and row by models that forbid all other keys', async () => {
    const { header } = await call(`${node.url}/model`);
    expect(header?.omitted).toBeUndefined();
    expect(header?.events?.[header.failure_id ?? '']?.failure_reason).toBe('Überlast \u007f \u2028 🔥');

    const { values, streamed } = await call(`${node.url}/stream`);
    expect(values).toEqual([]);
    expect(streamed?.events?.[streamed.failure_id ?? '']?.failure_reason).toBe('Die Verbindung riß ab');

    const { saved } = await call(through(node, '/row', `${python.url}${ROLLOUT}/v1/responses`));
    expect(Object.values(saved?.events ?? {})).toMatchObject([{ failure_kind: 'provider_quota_exhausted' }]);
  });
});

describe('what Python writes is read here', () => {
  const PLAIN = { boundary: 'model', failure_reason: 'Überlast \u007f \u2028 🔥' };
  const ID = '0123456789abcdef0123456789abcdef';

  it.each(['plain', 'order', 'indent', 'nulls', 'bigint'])('%s', async (how) => {
    const report = FailureHeader.decode((await post(`${python.url}/odd/${how}`)).headers);
    expect(report?.omitted).toBe(false);
    expect(report?.failureId).toBe(ID);
    const event = report?.events.get(ID);
    expect(event).toMatchObject({ ...PLAIN, details: { how, ...(how === 'bigint' ? { tokens: 2 ** 70 } : {}) } });
    expect(event).not.toHaveProperty('stage');
  });

  it('NaN, which is no JSON, as an omitted report', async () => {
    const response = await post(`${python.url}/odd/nan`);
    expect(response.headers.get('x-ng-failure-report')).toContain('NaN');
    expect(FailureHeader.decode(response.headers)?.toJSON()).toEqual({ omitted: true });
  });

  it('a row, by ng-failures too', async () => {
    const { row } = await callByPython(through(python, '/run', `${node.url}${ROLLOUT}/model`));
    const file = join(folder, 'rows.jsonl');
    // As json.dumps leaves it: client.py printed it so.
    writeFileSync(file, `${JSON.stringify(row)}\n`);
    const shown = execFileSync(process.execPath, ['dist/ng-failures.js', 'show', file], { encoding: 'utf8' });
    const { failureId, events } = FailureReportRow.report(row);
    expect(events.size).toBe(2);
    expect(shown).toContain(`agent  agent_run_error  operation run  event ${failureId}`);
    expect(shown).toContain('caused by  model  provider_unavailable');
  });
});

describe('a chain through both languages', () => {
  /** Kinds from the outermost to its cause, and the ids. */
  function chainOf(report: ReturnType<typeof FailureReportRow.report> | undefined) {
    const chain = [];
    for (let id = report?.failureId; id !== undefined; id = report?.events.get(id)?.cause_id) {
      chain.push({ id, kind: report?.events.get(id)?.failure_kind });
    }
    return chain;
  }

  it('keeps its ids from Node through Python to Node', async () => {
    const [innermost] = chainOf(FailureHeader.decode((await post(`${node.url}${ROLLOUT}/model`)).headers));
    expect(innermost?.kind).toBe('provider_unavailable');

    const outer = through(node, '/agent', through(python, '/run', `${node.url}${ROLLOUT}/model`));
    const response = await post(outer);
    expect(await response.text()).toBe('"Internal Server Error"');
    const report = FailureHeader.decode(response.headers);
    const chain = chainOf(report);
    expect(chain.map(({ kind }) => kind)).toEqual(['agent_run_error', 'agent_run_error', 'provider_unavailable']);
    expect(report?.events.size).toBe(3);
  });

  it('keeps its ids from Python through Node to Python, in one trace', async () => {
    const spans = join(folder, 'client.jsonl');
    const url = through(node, '/agent', through(python, '/run', `${node.url}${ROLLOUT}/model`));
    const { header, row } = await callByPython(url, { spans });
    const chain = chainOf(FailureReportRow.report(row));
    expect(chain.map(({ kind }) => kind)).toEqual(['agent_run_error', 'agent_run_error', 'provider_unavailable']);
    expect(Object.keys(header?.events ?? {}).sort()).toEqual(chain.map(({ id }) => id).sort());

    const root = spansIn(spans).find(({ name }) => name === 'collect');
    const ofTrace = [...spansIn(spans), ...spansIn(NODE_SPANS), ...spansIn(PYTHON_SPANS)].filter(
      ({ traceId }) => traceId === root?.traceId,
    );
    // From the innermost server's span up to the client's, through both languages.
    const byId = new Map(ofTrace.map((span) => [span.spanId, span]));
    const shown = (id: string | undefined) =>
      ofTrace.filter(({ events = [] }) =>
        events.some(({ attributes }) => attributes['nemo.gym.failure.event_id'] === id),
      );
    for (const { id } of chain) expect(shown(id).length, id).toBeGreaterThan(0);
    const upwards = (span: SpanLine | undefined): string[] =>
      span === undefined ? [] : [span.spanId, ...upwards(byId.get(span.parentSpanId ?? ''))];
    const paths = shown(chain.at(-1)?.id).map(upwards);
    for (const path of paths) expect(path.at(-1)).toBe(root?.spanId);
    // Three servers, their callers, and what Python began with.
    expect(Math.max(...paths.map(({ length }) => length))).toBe(7);
  });

  it('a failure that was recovered from travels as observed, both ways', async () => {
    const failing = `${python.url}${ROLLOUT}/v1/responses`;
    const { status, header } = await callByPython(through(python, '/run', through(node, '/recovered', failing)));
    expect(status).toBe(200);
    expect(header?.failure_id).toBeUndefined();
    expect(Object.values(header?.events ?? {})).toMatchObject([{ failure_kind: 'provider_quota_exhausted' }]);
  });
});

describe('an event stream', () => {
  it('of Python passes through Node unchanged, and its report is read there', async () => {
    const plain = await (await post(`${python.url}/stream`)).text();
    const { body, streamed } = await callByPython(through(node, '/relay', `${python.url}/stream`));
    const withoutIds = (text: string) => text.replaceAll(/[0-9a-f]{32}/g, 'ID');
    expect(withoutIds(String(body))).toBe(withoutIds(plain));
    const [id = ''] = Object.keys(streamed?.events ?? {});
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    const seen = spansIn(NODE_SPANS).flatMap(({ events = [] }) => events);
    expect(seen.map(({ attributes }) => attributes['nemo.gym.failure.event_id'])).toContain(id);
  });

  it('of Node passes through Python unchanged, and is read at the end', async () => {
    const { streamed } = await callByPython(through(python, '/relay', `${node.url}/stream`).replace(ROLLOUT, ''));
    expect(Object.values(streamed?.events ?? {})).toMatchObject([{ failure_reason: 'Die Verbindung riß ab' }]);
  });
});
