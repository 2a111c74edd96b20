import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FailureHeader, type FailureReport, FailureReportRow } from 'opentelemetry-instrumentation-nemo-gym';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENTS } from './programs/clients.ts';
import { withPair } from './support/pair.ts';
import { callByPython, LINES } from './support/python.ts';
import { post, Server } from './support/servers.ts';

const pair = withPair();
const PLAIN = { boundary: 'model', failure_reason: 'Überlast \u007f \u2028 🔥' };
const ID = '0123456789abcdef0123456789abcdef';
/** What each way of writing has beside `how` in its details, as it is read here. */
const DETAILS: Readonly<Record<string, object>> = {
  plain: {},
  compact: {},
  sorted: {},
  order: {},
  indent: {},
  nulls: {},
  newer: {},
  // No number of JavaScript's is nearer.
  bigint: { tokens: 2 ** 70, at_ns: 2 ** 53 },
  float: { retry_after_s: 1, tiny: 5e-324, zero: -0, huge: 1e22 },
};
/** Python writes them; here they are no JSON, or no text. */
const NO_JSON = ['nan', 'infinity', 'surrogate'];

const reasonsOf = (report: FailureReport | undefined) =>
  [...(report?.events.values() ?? [])].map((event) => event.failure_reason);

function checkPlain(report: FailureReport | undefined, how: string, details = DETAILS[how]): void {
  expect(report?.omitted).toBe(false);
  const event = report?.events.get(ID);
  const kind = how === 'newer' ? 'unregistered:gpu_on_fire' : 'provider_unavailable';
  expect(event).toMatchObject({ ...PLAIN, failure_kind: kind, ...(how === 'newer' ? { shard: 7 } : {}) });
  expect(event?.details).toEqual({ how, ...details });
  expect(event).not.toHaveProperty('stage');
}

describe('a header of FastAPI', () => {
  it.each(Object.keys(DETAILS))('%s', async (how) => {
    const response = await post(`${pair.python.url}/header/${how}`);
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('"Internal Server Error"');
    const report = FailureHeader.decode(response.headers);
    expect(report?.failureId).toBe(ID);
    checkPlain(report, how);
  });

  it.each(NO_JSON)('%s reads as omitted', async (how) => {
    const response = await post(`${pair.python.url}/header/${how}`);
    expect(response.headers.get(FailureHeader.NAME)).toMatch(/NaN|-Infinity|\\ud83d/);
    expect(FailureHeader.decode(response.headers)?.toJSON()).toEqual({ omitted: true });
  });

  it('longer than ours ever are is read all the same', async () => {
    const response = await post(`${pair.python.url}/header/long`);
    expect(response.headers.get(FailureHeader.NAME)?.length).toBeGreaterThan(2 * FailureHeader.MAX_BYTES);
    expect(FailureHeader.decode(response.headers)?.events.get(ID)?.details).toMatchObject({ log: 'é'.repeat(2500) });
  });
});

describe.each(Object.keys(CLIENTS))('a server’s client hook, by %s', (by) => {
  const logged = async (route: string) => {
    const response = await post(pair.node.at('/recovered', pair.python.url + route, by));
    expect(response.status).toBe(200);
    const report = FailureHeader.decode(response.headers);
    expect(report?.failureId).toBeUndefined();
    return report;
  };

  it.each(Object.keys(DETAILS))('hears what FastAPI wrote in a header: %s', async (how) => {
    // As ours writes it on: JSON.stringify has one zero only.
    checkPlain(await logged(`/header/${how}`), how, JSON.parse(JSON.stringify(DETAILS[how])));
  });

  it('hears of two headers both', async () => {
    expect(reasonsOf(await logged('/twice')).sort()).toEqual(['eins', 'zwei']);
  });

  it.each(['plain', 'nested', 'messages', 'chat', 'crlf', 'cr', 'utf8'])('hears a stream’s field: %s', async (how) => {
    const report = await logged(`/stream/${how}`);
    expect(report?.omitted).toBe(false);
    expect(reasonsOf(report)).toEqual(['Die Verbindung riß ab']);
  });
});

describe.each(LINES)('a server of aiohttp %s', (line) => {
  let server: Server;
  beforeAll(async () => {
    server = await Server.aiohttp(line);
  });
  afterAll(() => server?.stop());

  it('writes headers and streams that are read here', async () => {
    const response = await post(`${server.url}/header/order`);
    expect(response.headers.get('server')).toMatch(new RegExp(`aiohttp/${line.replace('.', '\\.')}\\.`));
    checkPlain(FailureHeader.decode(response.headers), 'order');
    for (const by of Object.keys(CLIENTS)) {
      const header = await post(pair.node.at('/recovered', `${server.url}/header/plain`, by));
      expect(FailureHeader.decode(header.headers)?.events.get(ID)).toMatchObject(PLAIN);
      const stream = await post(pair.node.at('/recovered', `${server.url}/stream/crlf`, by));
      expect(reasonsOf(FailureHeader.decode(stream.headers))).toEqual(['Die Verbindung riß ab']);
    }
  });
});

it('an error that Python tells nothing of is told from outside, and passes the strict models', async () => {
  const [call] = await callByPython([pair.node.at('/agent', `${pair.python.url}/bare`)]);
  expect(call?.status).toBe(500);
  expect(Object.values(call?.header?.events ?? {})).toMatchObject([
    { boundary: 'agent', foreign_error: { exception_type: 'HttpReplyError', http_status: 500 } },
  ]);
});

it('a row that Python saved, by ng-failures too', async () => {
  const [call] = await callByPython([pair.python.at('/run', pair.node.at('/model'))]);
  const file = join(pair.folder, 'rows.jsonl');
  writeFileSync(file, `${JSON.stringify(call?.row)}\n`);
  const shown = execFileSync(process.execPath, ['dist/ng-failures.js', 'show', file], { encoding: 'utf8' });
  const { failureId, events } = FailureReportRow.report(call?.row ?? {});
  expect(events.size).toBe(2);
  expect(shown).toContain(`agent  agent_run_error  operation run  event ${failureId}`);
  expect(shown).toContain('caused by  model  provider_unavailable');
});
