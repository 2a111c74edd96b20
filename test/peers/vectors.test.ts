import { readFileSync } from 'node:fs';
import { FailureHeader } from 'opentelemetry-instrumentation-nemo-gym';
import { beforeAll, describe, expect, it } from 'vitest';
import { canonical } from '../support/canonical.ts';
import { headerDecodeCases, headerEncodeCases, rowCases } from '../vectors/load.ts';
import { askPython, type Question } from './support/python.ts';

interface StreamCase {
  readonly name: string;
  readonly body: readonly (string | { readonly repeat: string; readonly times: number })[];
  readonly report: unknown;
}

const streamCases: StreamCase[] = JSON.parse(readFileSync(new URL('../vectors/stream.json', import.meta.url), 'utf8'));

/** A case of test/vectors as a question, and the answer that it wants of docs/wire.md. */
interface Asked {
  readonly name: string;
  readonly what: Question['what'];
  readonly about: unknown;
  readonly wanted: unknown;
}

function headerOf(headers: Readonly<Record<string, string>>): string | null {
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === FailureHeader.NAME.toLowerCase());
  return found?.[1] ?? null;
}

function bytesOf(body: StreamCase['body']): string {
  const text = body.map((part) => (typeof part === 'string' ? part : part.repeat.repeat(part.times))).join('');
  return Buffer.from(text).toString('base64');
}

const asked: readonly Asked[] = [
  ...headerDecodeCases.map(
    ({ name, headers, report }): Asked => ({ name, what: 'header', about: headerOf(headers), wanted: report }),
  ),
  ...rowCases.map(
    ({ name, row, reports, saved, merged }): Asked => ({
      ...{ name, what: 'saved' },
      about: { row, reports },
      wanted: { saved, merged },
    }),
  ),
  ...streamCases.map(
    ({ name, body, report }): Asked => ({
      ...{ name, what: 'stream' },
      about: { base64: bytesOf(body), limit: 1 << 20 },
      wanted: report,
    }),
  ),
];

/** Where models that forbid every other key must read another report than docs/wire.md, which keeps those. */
const STRICTER = ['unknown keys of a newer peer stay', 'unknown members of the report are dropped'];

let answers: readonly unknown[];
let written: readonly unknown[];
beforeAll(async () => {
  const both = [false, true].map((strict) => asked.map(({ what, about }): Question => ({ what, about, strict })));
  answers = await askPython(both.flat());
  written = await askPython(
    headerEncodeCases.map(({ report }): Question => ({ what: 'header', about: JSON.stringify(report), strict: false })),
  );
});

/** A header's answer tells more than its report. */
function reportIn(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'report' in answer ? answer.report : answer;
}

describe.each([...asked.entries()])('case %i', (index, { name, what, wanted }) => {
  it(`${what}, ${name}: written anew from the wire page in Python, the same report`, () => {
    expect(canonical(reportIn(answers[index]))).toBe(canonical(wanted));
  });

  it(`${what}, ${name}: by strict models too, but for keys that they forbid`, () => {
    const strict = reportIn(answers[asked.length + index]);
    expect(canonical(strict)).toBe(canonical(STRICTER.includes(name) ? { omitted: true } : wanted));
  });
});

it.each([...headerEncodeCases.entries()])('case %i of writing: Python counts and cuts alike', (index, { headers }) => {
  const value = headerOf(headers);
  const answer = written[index];
  const sent = typeof answer === 'object' && answer !== null && 'sent' in answer ? answer.sent : undefined;
  expect(sent === null ? null : String(sent).length).toBe(value === null ? null : value.length);
  expect(canonical(JSON.parse(String(sent)))).toBe(canonical(JSON.parse(String(value))));
});

// Without PEERS_NODE any Node that is supported will do.
it('runs by the Node that was asked for', () => {
  const [major] = process.versions.node.split('.');
  expect(major).toBe(process.env.PEERS_NODE ?? major);
});
