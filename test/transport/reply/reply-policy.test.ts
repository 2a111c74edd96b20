import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { failureReports } from '../../../src/frameworks/hono.ts';
import { FailureHeader } from '../../../src/transport/header.ts';
import { failRequest } from '../../../src/transport/observe.ts';
import { type FailureReportsOptions, withFailureReports } from '../../../src/transport/reply/listener.ts';
import { withFailureReport } from '../../../src/transport/stream/stream-writer.ts';
import { failure, reportOf } from '../../support/http-failures.ts';
import { portOf, rawReply, readRaw, withServer } from '../../support/http-raw.ts';

const onlyInside: FailureReportsOptions = { sendReportTo: ({ headers }) => headers['x-caller'] === 'inside' };
const hides: FailureReportsOptions = { redact: (event) => ({ ...event, failure_reason: 'hidden' }) };

it('a listener of one’s own asks sendReportTo', async () => {
  const listener = withFailureReports<http.IncomingMessage, http.ServerResponse, [], unknown>((_, res) => {
    failRequest(failure('own'));
    return res.end();
  }, onlyInside);
  const reports = await withServer(http.createServer(listener), async (port) => {
    const get = (header: string): string => `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n`;
    const raws = [await rawReply(port, get('x-caller: inside\r\n')), await rawReply(port, get(''))];
    return raws.map((raw) => readRaw(raw).reports.length);
  });
  expect(reports).toEqual([1, 0]);
});

it('so does one of http2, and redacts', async () => {
  const listener = withFailureReports<http2.Http2ServerRequest, http2.Http2ServerResponse, [], unknown>(
    (_, res) => {
      failRequest(failure('own'));
      res.setHeader('x-ng-failure-report', JSON.stringify(reportOf('theirs')));
      return res.end();
    },
    { ...onlyInside, ...hides },
  );
  const server = http2.createServer(listener).listen(0);
  await once(server, 'listening');
  const session = http2.connect(`http://localhost:${portOf({ address: () => server.address() })}`);
  const ask = async (caller: string): Promise<unknown> => {
    const stream = session.request({ ':path': '/', 'x-caller': caller });
    const [headers] = await once(stream, 'response');
    stream.resume();
    return headers['x-ng-failure-report'];
  };
  const inside = String(await ask('inside'));
  expect(inside).toMatch(/"own".*"theirs"|"theirs".*"own"/);
  expect(inside).not.toContain('reason of');
  expect(await ask('outside')).toBeUndefined();
  session.destroy();
  server.close();
});

it.each<[name: string, options: FailureReportsOptions, header: RegExp | undefined, body: string]>([
  ['without a policy', {}, /reason of own.*reason of theirs|reason of theirs.*reason of own/, 'reason of own'],
  ['with redact', hides, /hidden.*hidden/, 'hidden'],
  // There is no request of Node's that it could be asked about.
  ['with sendReportTo', { sendReportTo: () => true }, undefined, '{}'],
])('Hono without a Node server, %s', async (_, options, header, body) => {
  const app = new Hono();
  app.use(failureReports(options));
  app.get('/', (context) => {
    failRequest(failure('own'));
    return context.text(JSON.stringify(withFailureReport({})), 200, FailureHeader.encode(reportOf('theirs')));
  });
  const response = await app.request('/');
  const value = response.headers.get('x-ng-failure-report');
  if (header === undefined) expect(value).toBeNull();
  else expect(value).toMatch(header);
  const text = await response.text();
  expect(text).toContain(body);
  if (header === undefined) expect(text).toBe(body);
});
