import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FailureHeader } from 'opentelemetry-instrumentation-nemo-gym';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allCommands } from '../support/documents/blocks.ts';
import { type DocumentProject, documentProject } from '../support/documents/project.ts';
import { serve, shell } from '../support/documents/shell.ts';
import { readmeSteps } from '../support/readme-walk.ts';

/** Whoever has followed the README has this beside it; it fails each request. */
const APP = `
const http = require('node:http');
const { NgFailureEvent, NgFailureInstrumentation, failRequest } = require('opentelemetry-instrumentation-nemo-gym');
if (process.env.WRONG) new NgFailureInstrumentation({ sever: {} });
const server = http.createServer((req, res) => {
  const failureReason = 'It broke';
  failRequest(new NgFailureEvent({ boundary: 'agent', failureKind: 'agent_run_error', failureReason, operation: 'run' }));
  res.writeHead(500).end();
});
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
`;
const QUIET = { OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none' };
const texts = [...new Set(allCommands().map(({ text }) => text))];
const having = (form: RegExp): string[] => {
  const found = texts.filter((text) => form.test(text));
  if (found.length === 0) throw new Error(`no document has a command like ${form}`);
  return found;
};

let project: DocumentProject;
beforeAll(() => {
  project = documentProject();
  project.write('package.json', '{"name":"app","version":"0.1.0","private":true}');
  project.write('app.js', APP);
  for (const step of readmeSteps()) if (step.is === 'file') project.write(step.name, step.text);
});
afterAll(() => project.remove());

describe('an app, started as the documents say', () => {
  const byImport = having(/^node --import \S+\/register .*app\.js$/);
  const byRequire = byImport.map((line) => line.replaceAll('--import', '--require'));

  it.each([...byImport, ...byRequire])('%s', async (line) => {
    const app = await serve(project, line, QUIET);
    const { status, headers } = await fetch(`http://127.0.0.1:${app.port}`);
    await app.stop();
    expect(status).toBe(500);
    expect(FailureHeader.decode(headers)?.failureId).toBeDefined();
  });

  it.each(having(/^OTEL_LOG_LEVEL=debug .*app\.js$/))('%s', async (line) => {
    const [level = '', ...command] = line.split(' ');
    const app = await serve(project, command.join(' '), {
      ...QUIET,
      OTEL_LOG_LEVEL: level.split('=')[1],
      WRONG: 'yes',
    });
    expect(await app.stop()).toMatch(/^opentelemetry-instrumentation-nemo-gym: the option sever/m);
  });

  it.each(having(/^curl -si -X POST /))('%s', async (line) => {
    const [start = ''] = having(/^node --import opentelemetry-\S+\/register app\.js$/);
    const app = await serve(project, start);
    const { code, out, err } = await shell(project, line.replace(':3000', `:${app.port}`));
    await app.stop();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^x-ng-failure-report: \{"failure_id":/i);
  });
});

describe('what the documents have npm, Node and our scripts do', () => {
  it.each(having(/^npm (pkg|version|ls) /))('%s', async (line) => {
    const { code, out } = await shell(project, line.replace('X.Y.Z', '0.2.0'));
    expect(code).toBe(0);
    if (line.includes('version')) expect(out).toBe('v0.2.0\n');
    if (line.includes('ls')) expect(out).toMatch(/opentelemetry-instrumentation-nemo-gym@\d/);
    if (line.includes('pkg')) expect((await shell(project, 'npm pkg get type')).out).toBe('"module"\n');
  });

  it.each(having(/^node --max-http-header-size=\d+$/))('%s', async (line) => {
    const { out } = await shell(project, `${line} -p 'http.maxHeaderSize'`);
    expect(line).toContain(`=${out.trim()}`);
  });

  it.each(having(/^node scripts\/foreign-suites\.mjs /))('%s, where no checkout is', async (line) => {
    const checkouts = join(project.folder, 'checkouts');
    mkdirSync(checkouts, { recursive: true });
    const { code, out, err } = await shell(project, line.replace('DIR', checkouts));
    const [, only = 'express'] = /--only (\w+)/.exec(line) ?? [];
    expect(out + err).toContain(`there is no checkout at ${checkouts}/${only}`);
    if (line.includes('--only')) expect(out + err).not.toContain(`${checkouts}/express`);
    expect(code).toBe(1);
  });
});
