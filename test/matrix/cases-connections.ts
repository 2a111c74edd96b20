import { type Case, get } from './case.ts';
import { DESTROY, lastRequest, request } from './exchange.ts';
import { reportText } from './reports.ts';

/** A POST whose 10 bytes follow. */
export const upload = (path: string, more: readonly string[] = []): string =>
  lastRequest('POST', path, ['Content-Length: 10', ...more]);

export const CONNECTIONS: readonly Case[] = [
  {
    name: 'HEAD',
    server: 'plain',
    exchanges: [[lastRequest('HEAD', '/head')]],
    replies: [{ path: '/head', report: reportText(['head']) }],
  },
  {
    name: 'a kept-alive connection: nobody meets the log of an earlier request',
    server: 'plain',
    exchanges: [[request('GET', '/kept/1'), /one$/, request('GET', '/kept/2'), /two$/, lastRequest('GET', '/kept/3')]],
    replies: [
      { path: '/kept/1', report: reportText(['kept']) },
      { path: '/kept/2' },
      { path: '/kept/3', report: reportText([], ['kept-attempt']) },
    ],
    // What is asked for once the first reply has closed.
    noted: { as: 'kept', report: 'nothing' },
  },
  {
    name: 'pipelined requests that end out of order',
    server: 'plain',
    exchanges: [[request('GET', '/pipelined/1') + request('GET', '/pipelined/2') + lastRequest('GET', '/pipelined/3')]],
    replies: [
      { path: '/pipelined/1', report: reportText(['pipelined-1']) },
      { path: '/pipelined/2', report: reportText(['pipelined-2']) },
      { path: '/pipelined/3' },
    ],
  },
  {
    name: 'a connection from before telemetry started',
    server: 'plain',
    early: [request('GET', '/first'), /before$/],
    exchanges: [[lastRequest('GET', '/second')]],
    replies: [{ path: '/first' }, { path: '/second', report: reportText(['second']) }],
  },
  {
    name: 'a caller that goes away',
    server: 'plain',
    exchanges: [[request('GET', '/aborted'), /first/, DESTROY], [lastRequest('GET', '/aborted/after')]],
    replies: [
      // The app hears of it when the reply has closed, and with it the server span.
      { path: '/aborted', report: reportText([], ['aborted-attempt']) },
      { path: '/aborted/after' },
    ],
    noted: { as: 'aborted', report: reportText(['aborted'], ['aborted-attempt']) },
  },
];

export const LATE: readonly Case[] = [
  {
    name: 'a late body, read by its events',
    server: 'plain',
    exchanges: [[upload('/late-data'), 5, '12345', 5, '67890']],
    replies: [{ path: '/late-data', report: reportText(['late-data'], ['late-data-attempt']) }],
  },
  ...['late-iterated', 'late-once'].map(
    (id): Case => ({
      name: `a late body: ${id}`,
      server: 'plain',
      exchanges: [[upload(`/${id}`), 5, '12345', 5, '67890']],
      replies: [{ path: `/${id}`, report: reportText([id]) }],
    }),
  ),
  ...(['plain', 'strict'] as const).map(
    (server): Case => ({
      name: `Expect: 100-continue, ${server === 'plain' ? 'answered by Node' : 'answered by the app'}`,
      server,
      exchanges: [[upload('/continued', ['Expect: 100-continue']), /100 Continue\r\n\r\n/, '1234567890']],
      replies: [{ path: '/continued', report: reportText(['continued']) }],
    }),
  ),
  {
    name: 'Expect: 100-continue, refused by the app',
    server: 'strict',
    exchanges: [[upload('/refused', ['Expect: 100-continue'])]],
    replies: [{ path: '/refused', report: reportText(['refused']) }],
  },
  get('an expectation that is none', '/odd', reportText(['expectation']), 'strict', 'Expect: the unexpected'),
];

export const NO_REPLIES: readonly Case[] = [
  get('an upgrade', '/up', undefined, 'strict', 'Upgrade: echo', 'Connection: Upgrade'),
  { name: 'CONNECT', server: 'strict', exchanges: [[request('CONNECT', 'x:1')]], replies: [] },
  { name: 'no HTTP at all, refused by Node', server: 'plain', exchanges: [['no HTTP\r\n\r\n']], replies: [] },
  { name: 'no HTTP at all, refused by the app', server: 'strict', exchanges: [['no HTTP\r\n\r\n']], replies: [] },
];
