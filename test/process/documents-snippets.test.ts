import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocumentProject, documentProject } from '../support/documents/project.ts';
import { COMMONJS_APP, programOf, SNIPPETS, type Snippet } from '../support/documents/snippets.ts';

const REGISTER = ['--import', 'opentelemetry-instrumentation-nemo-gym/register'];
/** Spans are made, and nobody listens where they would be sent to. */
const QUIET = {
  OTEL_METRICS_EXPORTER: 'none',
  OTEL_LOGS_EXPORTER: 'none',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
};
let project: DocumentProject;

beforeAll(() => {
  project = documentProject();
  for (const snippet of SNIPPETS) project.write(snippet.file, programOf(snippet));
  project.write('app.cjs', COMMONJS_APP);
});
afterAll(() => project.remove());

function run({ file, preload = REGISTER, env = {} }: Snippet): Promise<string> {
  const args = ['--import', 'tsx', ...preload, ...(preload.includes('app.cjs') ? [] : [file])];
  const options = { cwd: project.folder, env: { ...project.env, ...QUIET, ...env }, timeout: 30_000 };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`${file}: ${stdout}${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
}

describe('the code in the documents does what they say', () => {
  it.each(SNIPPETS)('$document: $file', async (snippet) => {
    const printed = await run(snippet);
    expect(JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '')).toEqual(snippet.prints);
  });
});
