import { DESTROY, lastRequest, request, type Step } from './exchange.ts';
import { eventText, forwardedText, reportText, textOf } from './reports.ts';

/** The servers of a cell. */
export type ServerName = 'plain' | 'tls' | 'http2' | 'express' | 'strict';

/** A reply that a case expects. */
export interface ExpectedReply {
  readonly path: string;
  /** The report in its header, byte for byte; none when absent. */
  readonly report?: string | undefined;
  /** What its request came to in the end, where that is more. */
  readonly whole?: string | undefined;
}

/** What a caller does, and which reports the replies must carry. All else must be as without the package. */
export interface Case {
  readonly name: string;
  readonly server: ServerName;
  /** Each on a connection of its own, one after the other. For HTTP/2 the path alone. */
  readonly exchanges: readonly (readonly Step[])[];
  readonly replies: readonly ExpectedReply[];
  /** A report that no header carries, under the name that the server noted it by. */
  readonly noted?: { readonly as: string; readonly report: string };
  /** What the body holds with the package alone. */
  readonly inBody?: string;
  /** Opens the connection, and takes these steps on it, before telemetry starts. */
  readonly early?: readonly Step[];
}

/** One GET, one reply. */
function get(name: string, path: string, report?: string, server: ServerName = 'plain', ...headers: string[]): Case {
  return { name, server, exchanges: [[lastRequest('GET', path, headers)]], replies: [{ path, report }] };
}

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

const upload = (path: string, more: readonly string[] = []): string =>
  lastRequest('POST', path, ['Content-Length: 10', ...more]);

const CONNECTIONS: readonly Case[] = [
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

const LATE: readonly Case[] = [
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

const NO_REPLIES: readonly Case[] = [
  get('an upgrade', '/up', undefined, 'strict', 'Upgrade: echo', 'Connection: Upgrade'),
  { name: 'CONNECT', server: 'strict', exchanges: [[request('CONNECT', 'x:1')]], replies: [] },
  { name: 'no HTTP at all, refused by Node', server: 'plain', exchanges: [['no HTTP\r\n\r\n']], replies: [] },
  { name: 'no HTTP at all, refused by the app', server: 'strict', exchanges: [['no HTTP\r\n\r\n']], replies: [] },
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

const CALLS: readonly Case[] = ['http.request', 'https.request', 'fetch', 'undici.fetch', 'undici.request'].flatMap(
  (client) => [
    ...['report', 'hints', 'stream', 'cut'].map((route) =>
      get(`${client}: ${route}`, `/call/${client}/${route}`, forwardedText(`${client}/${route}`)),
    ),
    get(`${client}: hop`, `/call/${client}/hop`, reportText([], [`${client}/hop`])),
    {
      name: `${client}: a relayed stream`,
      server: 'plain',
      // HTTP/1.0 again: how often a stream's bytes come depends on the moment, with the package and without it.
      exchanges: [[`GET /relay/${client} HTTP/1.0\r\n\r\n`]],
      replies: [{ path: `/relay/${client}`, whole: forwardedText(`${client}/relayed`) }],
      noted: { as: `relay ${client}`, report: forwardedText(`${client}/relayed`) },
    } satisfies Case,
  ],
);

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
