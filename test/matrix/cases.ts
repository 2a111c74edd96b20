import { type Case, get } from './case.ts';
import { CALLS } from './cases-calls.ts';
import { CONNECTIONS, LATE, NO_REPLIES, upload } from './cases-connections.ts';
import { lastRequest, request } from './exchange.ts';
import { eventText, reportText, textOf } from './reports.ts';

const OMITTED = '{"omitted":true}';
/** The reason of `accents` as ASCII. */
const ACCENTS = 'the model said \\u201cna\\u00efve\\u201d \\ud83d\\ude00 \\u007f';
const APPS = '"apps":{"event_id":"apps","boundary":"model","failure_kind":"judge_failed","failure_reason":"its own"}';

const WAYS_OUT: readonly Case[] = [
  ...['end', 'end-accents', 'buffer', 'write', 'flush', 'pipe', 'message', 'object', 'array', 'pairs'],
  ...[
    'array-after-set',
    'pairs-after-set',
    'no-content',
    'not-modified',
    'hints',
    'informed',
    'information',
    'trailers',
    'twice',
  ],
].map((id) => get(`way out: ${id}`, `/${id}`, reportText([id])));

const REPORTS: readonly Case[] = [
  get('no failure, no header', '/quiet'),
  get('an attempt alone', '/attempt', reportText([], ['attempt'])),
  get('a chain and an attempt', '/chain', reportText(['chain', 'chain-cause', 'chain-root'], ['chain-attempt'])),
  get(
    'a reason that is not ASCII',
    '/accents',
    textOf('accents', [
      eventText('accents', { boundary: 'agent', failure_kind: 'agent_run_error', failure_reason: ACCENTS }),
    ]),
  ),
  {
    ...get('a report too long', '/too-long'),
    replies: [
      { path: '/too-long', report: OMITTED, whole: reportText(['too-long', 'too-long-cause'], ['too-long-attempt']) },
    ],
  },
  get(
    'a report that the app set',
    '/apps',
    reportText([], ['apps-attempt']).replace('{"events":{', `{"failure_id":"apps","events":{${APPS},`),
  ),
  get('a rollout’s path', '/ng-rollout/r1/v1/responses', reportText(['rollout'])),
];

const EXPRESS: readonly Case[] = [
  get('Express: json()', '/express/json', reportText(['express-json']), 'express'),
  get('Express: a thrown failure', '/express/thrown', reportText(['express-thrown']), 'express'),
  get('Express: a redirect', '/express/redirect', reportText(['express-redirect']), 'express'),
  get('Express: cookies beside an array', '/express/cookies', reportText(['express-cookies']), 'express'),
  get('Express: 304', '/express/fresh', reportText([], ['express-fresh']), 'express', 'If-None-Match: "1"'),
  {
    name: 'Express: HEAD',
    server: 'express',
    exchanges: [[lastRequest('HEAD', '/express/json')]],
    replies: [{ path: '/express/json', report: reportText(['express-json']) }],
  },
  {
    name: 'Express: a late body',
    server: 'express',
    exchanges: [[upload('/express/late', ['Content-Type: application/json']), 5, '{"a":', 5, '"b1"}']],
    replies: [{ path: '/express/late', report: reportText(['express-late']) }],
  },
];

const OTHER_SERVERS: readonly Case[] = [
  get('https: end', '/end', reportText(['end']), 'tls'),
  {
    name: 'https: a kept-alive connection',
    server: 'tls',
    exchanges: [[request('GET', '/kept/1'), /one$/, lastRequest('GET', '/kept/2')]],
    replies: [{ path: '/kept/1', report: reportText(['kept']) }, { path: '/kept/2' }],
  },
  ...[
    ['end', reportText(['end'])] as const,
    ['object', reportText(['object'])] as const,
    ['quiet', undefined] as const,
  ].map(
    ([id, report]): Case => ({
      name: `http2: ${id}`,
      server: 'http2',
      exchanges: [[`/${id}`]],
      replies: [{ path: `/${id}`, report }],
    }),
  ),
];

const STREAMED = reportText(['streamed']);
const STREAMS: readonly Case[] = [
  {
    name: 'an event stream whose last event tells what happened after the headers',
    server: 'plain',
    // HTTP/1.0, so that the body is not cut into chunks whose sizes tell of the report.
    exchanges: [['GET /streamed HTTP/1.0\r\n\r\n']],
    replies: [{ path: '/streamed', whole: STREAMED }],
    inBody: `,"nemo_gym_failure_report":${STREAMED}`,
  },
];

/** Everything that each cell is asked. */
export const CASES: readonly Case[] = [
  ...WAYS_OUT,
  ...REPORTS,
  ...CONNECTIONS,
  ...LATE,
  ...NO_REPLIES,
  ...EXPRESS,
  ...OTHER_SERVERS,
  ...STREAMS,
  ...CALLS,
];
