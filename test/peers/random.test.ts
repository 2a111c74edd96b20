import fc from 'fast-check';
import {
  type FailureBoundary,
  FailureHeader,
  FailureReport,
  FailureReportRow,
  failureReportFor,
  NgFailureEvent,
  StreamFailureReportReader,
} from 'opentelemetry-instrumentation-nemo-gym';
import { beforeAll, describe, expect, it } from 'vitest';
import { nearlyReport, reportRecord, row, text } from '../support/arbitraries.ts';
import { canonical } from '../support/canonical.ts';
import { streamBody } from '../support/stream-bodies.ts';
import { askPython } from './support/python.ts';

const TRIES = 1000;
/** Another one every time; a failure names it. */
const seed = Number(process.env.PEERS_SEED ?? Date.now() % 1_000_000);

function sample<T>(arbitrary: fc.Arbitrary<T>): T[] {
  return fc.sample(arbitrary, { numRuns: TRIES, seed });
}

const decode = (value: string) => FailureHeader.decode({ [FailureHeader.NAME]: value });

interface HeaderAnswer {
  readonly report: unknown;
  readonly dumped: string;
  readonly sent: string | null;
}

describe(`random data, PEERS_SEED=${seed}: both languages say the same`, () => {
  const texts = [...sample(reportRecord), ...sample(nearlyReport)].map((value) => JSON.stringify(value) ?? '');
  const rows = sample(fc.tuple(row, fc.array(reportRecord, { maxLength: 2 })));
  const bodies = sample(fc.tuple(streamBody, fc.constantFrom(24, 120, 340, 1 << 20)));
  let headerAnswers: readonly HeaderAnswer[];
  beforeAll(async () => {
    const answers = await askPython(texts.map((about) => ({ what: 'header', about, strict: false })));
    headerAnswers = answers.map((answer): HeaderAnswer => JSON.parse(JSON.stringify(answer)));
  });

  it('of a header', () => {
    for (const [index, value] of texts.entries()) {
      expect(canonical(headerAnswers[index]?.report), value).toBe(canonical(decode(value)));
    }
    const omitted = texts.filter((value) => canonical(decode(value)) === '{"omitted":true}').length;
    expect(omitted).toBeGreaterThan(TRIES / 10);
    expect(omitted).toBeLessThan(TRIES);
  });

  it('of what json.dumps makes of it on its way', () => {
    for (const [index, value] of texts.entries()) {
      expect(canonical(decode(headerAnswers[index]?.dumped ?? '')), value).toBe(canonical(decode(value)));
    }
  });

  it('of what is sent on, and when it is too long', () => {
    const read = (value: string | null | undefined) => canonical(JSON.parse(value ?? 'null'));
    for (const [index, value] of texts.entries()) {
      const ours = FailureHeader.encode(decode(value) ?? FailureReport.EMPTY)[FailureHeader.NAME];
      expect(read(headerAnswers[index]?.sent), value).toBe(read(ours));
    }
  });

  it('of a saved row and what is merged into it', async () => {
    const given = rows.map(([saved, reports]) => ({ row: saved, reports }));
    const answers = await askPython(given.map((about) => ({ what: 'saved', about, strict: false })));
    for (const [index, about] of given.entries()) {
      const reports = about.reports.map((report) => FailureReport.parse(report));
      const ours = {
        saved: FailureReportRow.report(about.row),
        merged: FailureReportRow.mergedInto(about.row, ...reports),
      };
      expect(canonical(answers[index]), JSON.stringify(about)).toBe(canonical(ours));
    }
  });

  it('of an event stream', async () => {
    const answers = await streamsByPython(bodies);
    for (const [index, [body, limit]] of bodies.entries()) {
      expect(canonical(answers[index]), Buffer.from(body).toString('base64')).toBe(canonical(streamByUs(body, limit)));
    }
    expect(answers.filter((answer) => answer !== null).length).toBeGreaterThan(TRIES / 10);
  });

  it('of an event as long as the limit, and of one a byte longer', async () => {
    const limit = 1 << 20;
    const carrying = (pad: number) => `{"${FailureHeader.STREAM_FIELD}":{"omitted":false},"pad":"${'y'.repeat(pad)}"}`;
    const longest = limit - carrying(0).length;
    const given = [longest, longest + 1].map((pad): [Buffer, number] => [
      Buffer.from(`data: ${carrying(pad)}\n\n`),
      limit,
    ]);
    const wanted = [{}, { omitted: true }];
    expect(await streamsByPython(given)).toEqual(wanted);
    expect(given.map(([body]) => streamByUs(body, limit)?.toJSON())).toEqual(wanted);
  });
});

function streamByUs(body: Uint8Array, maxDataBytes: number): FailureReport | null {
  const reader = new StreamFailureReportReader({ maxDataBytes, bufferBytes: 64 });
  reader.feed(body);
  return reader.finish() ?? null;
}

function streamsByPython(given: readonly (readonly [Uint8Array, number])[]): Promise<readonly unknown[]> {
  return askPython(
    given.map(([body, limit]) => ({
      what: 'stream',
      about: { base64: Buffer.from(body).toString('base64'), limit },
      strict: false,
    })),
  );
}

describe(`random failures, PEERS_SEED=${seed}`, () => {
  /** Also what is no whole text: half of a surrogate pair, and more than an event may hold. */
  const anyText = fc.oneof(
    text,
    fc.constantFrom('\ud83d', 'x\udd25', '🔥'.repeat(3000), `${'é'.repeat(1999)}🔥`, 'a'.repeat(2001)),
  );
  const boundaries: FailureBoundary[] = ['model', 'agent', 'environment'];
  const failure = fc
    .array(
      fc.record({
        boundary: fc.constantFrom(...boundaries),
        failureKind: fc.constantFrom('transport_timeout', 'browser_env:page_crashed'),
        failureReason: anyText,
        operation: fc.option(anyText, { nil: undefined }),
        httpStatus: fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined }),
        foreign: fc.option(anyText, { nil: undefined }),
      }),
      { minLength: 1, maxLength: 4 },
    )
    .map((chain) =>
      chain.reduceRight<unknown>((cause, { foreign, ...facts }) => {
        const below = foreign === undefined ? cause : new TypeError(foreign, { cause });
        return new NgFailureEvent({ ...facts, ...(below === undefined ? {} : { cause: below }) });
      }, undefined),
    );

  it('are taken whole by models that forbid every other key', async () => {
    const reports = sample(failure).map((error) => failureReportFor(error));
    const answers = await askPython(
      reports.map((report) => ({ what: 'report', about: FailureHeader.streamValue(report), strict: true })),
    );
    for (const [index, report] of reports.entries()) {
      expect(canonical(answers[index])).toBe(canonical(report));
    }
    expect(reports.some(({ events }) => events.size > 2)).toBe(true);
  });
});
