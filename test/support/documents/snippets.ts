import { blockWith } from './blocks.ts';

/** Code of a document, with what stands around it in the app of whoever copies it. */
export interface Snippet {
  readonly document: string;
  /** Words that only this block of the document has. */
  readonly has: string;
  /** The file that it becomes a part of. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** The last line that the program prints, read as JSON. */
  readonly prints: unknown;
  /** Node's arguments before the file, in place of `/register`. */
  readonly preload?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const PACKAGE = 'opentelemetry-instrumentation-nemo-gym';

/** What every app of these has: an error to fail with, and a look at its own reply. */
const FAILURE = `
import { FailureHeader, NgFailureEvent } from '${PACKAGE}';
const broken = () => new NgFailureEvent({
  boundary: 'resources_server', failureKind: 'verifier_error', failureReason: 'It broke', operation: 'verify',
});
async function ask(port: unknown, path = '/verify', headers: Record<string, string> = {}) {
  const reply = await fetch('http://127.0.0.1:' + port + path, { method: 'POST', headers });
  const report = FailureHeader.decode(reply.headers);
  const kinds = [...(report?.events.values() ?? [])].map((event) => event.failure_kind);
  return { status: reply.status, own: report?.failureId !== undefined, kinds };
}
function say(what: unknown) {
  console.log(JSON.stringify(what));
  process.exit();
}
`;
const OWN = { status: 500, own: true, kinds: ['verifier_error'] };

const ON_PORT = `
const place = server.address();
say(await ask(typeof place === 'object' && place?.port));
`;

const NEST = `import 'reflect-metadata';
import { Controller, Module, Post, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
${FAILURE}
class Closed { canActivate(): boolean { throw broken(); } }
@Controller() class Rollouts {
  @Post('verify') verify(): void { throw broken(); }
  @Post('guarded') @UseGuards(Closed) guarded(): void {}
}
@Module({ controllers: [Rollouts] }) class Root {}
const app = await NestFactory.create(Root, { logger: false });
`;
const nestSays = (path: string): string => `
await app.listen(0, '127.0.0.1');
say(await ask(app.getHttpServer().address().port, '${path}'));
`;

const POLICY = `import http from 'node:http';
import { failRequest, NgFailureInstrumentation } from '${PACKAGE}';
${FAILURE.replaceAll(/: (unknown|Record<string, string>)(?=[,)= ])/g, '')}`;

/** All code blocks but the README's, whose walk is test/support/readme-walk.ts. */
export const SNIPPETS: readonly Snippet[] = [
  {
    document: 'docs/frameworks.md',
    has: `${PACKAGE}/express'`,
    file: 'express.ts',
    before: `import express, { type ErrorRequestHandler, type RequestHandler } from 'express';\n${FAILURE}
const app = express();
const verify: RequestHandler = () => { throw broken(); };
const myErrorHandler: ErrorRequestHandler = (_error, _req, res, _next) => { res.status(500).json('mine'); };
`,
    after: `const server = app.listen(0, '127.0.0.1');\nawait new Promise((done) => server.once('listening', done));${ON_PORT}`,
    prints: OWN,
  },
  {
    document: 'docs/frameworks.md',
    has: `${PACKAGE}/fastify'`,
    file: 'fastify.ts',
    before: `import fastify from 'fastify';\n${FAILURE}\nconst app = fastify();\n`,
    after: `app.post('/verify', async () => { throw broken(); });
await app.listen({ port: 0, host: '127.0.0.1' });
const { server } = app;${ON_PORT}`,
    prints: OWN,
  },
  {
    document: 'docs/frameworks.md',
    has: `${PACKAGE}/hono'`,
    file: 'hono.ts',
    before: `import { serve } from '@hono/node-server';\nimport { Hono } from 'hono';\n${FAILURE}\nconst app = new Hono();\n`,
    after: `app.post('/verify', () => { throw broken(); });
app.onError((error, c) => c.text(error.message, 500));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, async ({ port }) => say(await ask(port)));
`,
    prints: OWN,
  },
  {
    document: 'docs/frameworks.md',
    has: `${PACKAGE}/koa'`,
    file: 'koa.ts',
    before: `import Koa from 'koa';\n${FAILURE}\nconst app = new Koa();\napp.silent = true;\n`,
    after: `app.use(() => { throw broken(); });
const server = app.listen(0, '127.0.0.1');
await new Promise((done) => server.once('listening', done));${ON_PORT}`,
    prints: OWN,
  },
  {
    document: 'docs/frameworks.md',
    has: 'class FailureReports implements NestInterceptor',
    file: 'nest-interceptor.ts',
    before: NEST,
    after: nestSays('/verify'),
    prints: OWN,
  },
  {
    document: 'docs/frameworks.md',
    has: 'class FailureFilter extends BaseExceptionFilter',
    file: 'nest-filter.ts',
    before: `${NEST}import { failRequest } from '${PACKAGE}';\n`,
    after: nestSays('/guarded'),
    prints: OWN,
  },
  {
    document: 'docs/configuration.md',
    has: 'new NgFailurePropagator()',
    file: 'propagator.ts',
    before: `import { createRequire } from 'node:module';
import { context } from '@opentelemetry/api';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { NgFailureInstrumentation, NgFailurePropagator, RequestFailureLog } from '${PACKAGE}';
`,
    // Outside of the request nothing but its context leads to its log. instrumentation-http sees what is required.
    after: `
const http: typeof import('node:http') = createRequire(import.meta.url)('node:http');
const active = await new Promise<ReturnType<typeof context.active>>((served) => {
  const server = http.createServer(() => served(context.active()));
  server.listen(0, '127.0.0.1', () => http.get({ port: Object(server.address()).port }).on('error', () => {}));
});
const isThere = () => RequestFailureLog.current() !== undefined;
console.log(JSON.stringify({ here: isThere(), there: context.with(active, isThere) }));
process.exit();
`,
    preload: [],
    prints: { here: false, there: true },
  },
  {
    document: 'docs/policy.md',
    has: 'GYM_PEER_TOKEN',
    file: 'policy.mjs',
    before: POLICY,
    after: `
const server = http.createServer((req, res) => {
  const detailed = new NgFailureEvent({
    boundary: 'agent', failureKind: 'agent_run_error', failureReason: 'It broke', operation: 'run',
    foreignError: { exceptionType: 'Error', message: 'not for you' },
  });
  failRequest(detailed);
  res.writeHead(500).end();
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const { port } = server.address();
const peer = await fetch('http://127.0.0.1:' + port, { headers: { 'x-gym-peer': 'token-7' } });
const [event] = FailureHeader.decode(peer.headers).events.values();
const kinds = async (path, headers) => (await ask(port, path, headers)).kinds;
say({
  foreignError: event.foreign_error ?? 'hidden',
  peer: await kinds('/', { 'x-gym-peer': 'token-7' }),
  stranger: await kinds('/', { 'x-gym-peer': 'guess' }),
  livez: await kinds('/livez', { 'x-gym-peer': 'token-7' }),
});
`,
    preload: [],
    env: { GYM_PEER_TOKEN: 'token-7' },
    prints: { foreignError: 'hidden', peer: ['agent_run_error'], stranger: [], livez: [] },
  },
  {
    document: 'docs/troubleshooting.md',
    has: 'DiagConsoleLogger',
    file: 'diagnostics.mjs',
    before: '',
    after: `diag.debug(JSON.stringify('It is heard'));\n`,
    preload: [],
    prints: 'It is heard',
  },
  {
    document: 'docs/getting-started.md',
    has: 'telemetry.cjs, for:',
    file: 'telemetry.cjs',
    before: '',
    after: '',
    // Started as its first line says.
    preload: ['--require', './telemetry.cjs', 'app.cjs'],
    prints: { ...OWN, recording: true },
  },
];

/** The app beside `telemetry.cjs`: whether its request was traced, and its reply. */
export const COMMONJS_APP = `
const http = require('node:http');
const { trace } = require('@opentelemetry/api');
const { FailureHeader, NgFailureEvent, failRequest } = require('${PACKAGE}');
let recording;
const server = http.createServer((req, res) => {
  recording = trace.getActiveSpan()?.isRecording() === true;
  failRequest(new NgFailureEvent({
    boundary: 'resources_server', failureKind: 'verifier_error', failureReason: 'It broke', operation: 'verify',
  }));
  res.writeHead(500).end();
}).listen(0, '127.0.0.1', async () => {
  const reply = await fetch('http://127.0.0.1:' + server.address().port);
  const report = FailureHeader.decode(reply.headers);
  const kinds = [...report.events.values()].map((event) => event.failure_kind);
  console.log(JSON.stringify({ status: reply.status, own: report.failureId !== undefined, kinds, recording }));
  process.exit();
});
`;

/** The whole file of a snippet. */
export function programOf({ document, has, before, after }: Snippet): string {
  return `${before}${blockWith(document, has).text}${after}`;
}
