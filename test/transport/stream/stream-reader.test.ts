import { describe, expect, it } from 'vitest';
import { RequestFailureLog } from '../../../src/transport/request-log.ts';
import { StreamFailureReportReader } from '../../../src/transport/stream/stream-reader.ts';
import { readBytes, readText } from '../../support/stream-feeding.ts';
import { bytesOfText, reportOfBody } from '../../support/stream-oracle.ts';
import { NAME, OMITTED, read, reportOf, terminal } from '../../support/stream-reports.ts';

describe('which event counts', () => {
  it.each(['response.completed', 'response.incomplete', 'response.failed', 'error', 'message_stop'])('%s', (type) => {
    expect(read(`data: ${terminal('a', type)}\n\n`)).toEqual(reportOf('a'));
  });

  it.each(['response.created', 'message_delta', 'toString', ''])('not one of type %j', (type) => {
    expect(read(`data: ${terminal('a', type)}\n\n`)).toBeUndefined();
  });

  it.each([{}, { type: 7 }, { type: null }, { type: ['error'] }])(
    'any with the field where the type is no text: %j',
    (type) => {
      expect(read(`data: ${JSON.stringify({ ...type, [NAME]: reportOf('a') })}\n\n`)).toEqual(reportOf('a'));
    },
  );

  it('the payload decides, not the event: line', () => {
    expect(read(`event: response.created\ndata: ${terminal('a')}\n\n`)).toEqual(reportOf('a'));
    expect(read(`event: response.completed\ndata: ${terminal('a', 'response.created')}\n\n`)).toBeUndefined();
  });

  it('the field counts at the top level and inside response, nowhere else', () => {
    const at = (payload: unknown): unknown => read(`data: ${JSON.stringify(payload)}\n\n`);
    expect(at({ type: 'error', response: { [NAME]: reportOf('a') } })).toEqual(reportOf('a'));
    expect(at({ type: 'error', response: { [NAME]: reportOf('a') }, [NAME]: reportOf('b') })).toEqual(reportOf('b'));
    expect(at({ type: 'error', error: { [NAME]: reportOf('a') } })).toBeUndefined();
    expect(at([{ type: 'error', [NAME]: reportOf('a') }])).toBeUndefined();
  });

  it('reports of several terminal events merge: the first failure_id stays', () => {
    const merged = { failure_id: 'a', events: { ...reportOf('a').events, ...reportOf('b').events } };
    expect(read(`data: ${terminal('a')}\n\ndata: ${terminal('b')}\n\n`)).toEqual(merged);
    expect(read(`data: ${terminal('a')}\n\ndata: {"${NAME}":\n\n`)).toEqual({ ...reportOf('a'), ...OMITTED });
  });

  it('an empty report is a report with nothing in it', () => {
    expect(read(`data: {"type":"error","${NAME}":{}}\n\n`)).toEqual({});
  });
});

describe('what the field name is', () => {
  it('a name written with JSON escapes is not found', () => {
    expect(
      read(`data: {"type":"error","nemo_gym_failure\\u005freport":${JSON.stringify(reportOf('a'))}}\n\n`),
    ).toBeUndefined();
  });

  it('the name in other quotes, or inside another text, makes nothing of a line that is not JSON', () => {
    for (const text of [`'${NAME}'`, NAME, `\\"${NAME}\\"`, `"${NAME}_2"`]) {
      expect(read(`data: {${text}: 1,\n\n`)).toBeUndefined();
    }
  });

  it('the name in a comment, an event: or an id: line is no evidence', () => {
    expect(read(`: "${NAME}"\nevent: "${NAME}"\nid: "${NAME}"\ndata: {"type":"error"\n\n`)).toBeUndefined();
  });

  it('halves of the name on two lines are no name, wherever the stream is cut', () => {
    const body = Buffer.from(`data: ${'y'.repeat(90)}"nemo_gym_\ndata: failure_report"\n\n`);
    for (const cut of body.keys())
      expect(readBytes(body, [cut], { maxDataBytes: 50, bufferBytes: 32 })).toBeUndefined();
  });
});

describe('lines and events', () => {
  it('data over several lines joins with a line feed, at any place where JSON allows one', () => {
    expect(read(`data: ${terminal('a').replaceAll(',', ',\ndata:')}\n\n`)).toEqual(reportOf('a'));
  });

  it('a line of only "data" is an empty line of data', () => {
    expect(read(`data: {"type":"error",\ndata\ndata: "${NAME}":{"omitted":true}}\n\n`)).toEqual(OMITTED);
    expect(read(`dat: {"type":"error","${NAME}":{"omitted":true}}\n\n`)).toBeUndefined();
  });

  it('other fields between two data lines of an event change nothing', () => {
    const [first, second] = terminal('a').split(/(?<=,)/, 2);
    const rest = terminal('a').slice(`${first}${second}`.length);
    expect(read(`data: ${first}\n: hi\nid: 1\ndata: ${second}\nretry: 1\ndata: ${rest}\n\n`)).toEqual(reportOf('a'));
  });

  it('where the joined text is not JSON each line stands by itself, also one that lost its rest', () => {
    const both = { ...reportOf('a'), ...OMITTED };
    expect(read(`data: ${terminal('a')}\ndata: [DONE]\n\n`)).toEqual(reportOf('a'));
    expect(read(`data: ${terminal('a')}\ndata: {"${NAME}":\n\n`)).toEqual(both);
  });

  it('of two spaces after the colon only one belongs to the field; JSON does not mind', () => {
    expect(read(`data:  ${terminal('a')}\n\n`)).toEqual(reportOf('a'));
  });

  it('one byte order mark at the start is skipped, a second or later one is data', () => {
    expect(read(`\ufeffdata: ${terminal('a')}\n\n`)).toEqual(reportOf('a'));
    expect(read(`\ufeff\ufeffdata: ${terminal('a')}\n\n`)).toBeUndefined();
    expect(read(`data: \ufeff${terminal('a')}\n\n`)).toEqual(OMITTED);
    expect(read(`: x\n\ufeffdata: ${terminal('a')}\n\n`)).toBeUndefined();
  });
});

describe('what is not UTF-8', () => {
  it('makes a line with the quoted name omitted, also in an event that would not count', () => {
    const body = Buffer.concat([
      Buffer.from('data: {"type":"response.created","x":"'),
      Buffer.of(0xc3, 0x28),
      Buffer.from(`","${NAME}":{}}\n\n`),
    ]);
    expect(readBytes(body)).toEqual(OMITTED);
  });

  it('means nothing in a line without the name, and the event’s other lines stand by themselves', () => {
    const body = Buffer.concat([Buffer.from('data: '), Buffer.of(0xff), Buffer.from(`\ndata: ${terminal('a')}\n\n`)]);
    expect(readBytes(body)).toEqual(reportOf('a'));
    expect(readBytes(Buffer.concat([Buffer.from('data: '), Buffer.of(0xff, 0x0a, 0x0a)]))).toBeUndefined();
  });

  it('a lone surrogate of a text counts as such; a pair cut in two does not', () => {
    const text = `data: {"type":"error","x":"😀","${NAME}":{}}\n\n`;
    for (const cut of text.split('').keys()) expect(readText(text, [cut])).toEqual({});
    expect(readText(text.replace('😀', '\ud83d'))).toEqual(OMITTED);
    expect(readText(text.replace('😀', '\ude00'))).toEqual(OMITTED);
    expect(readText(text.replace('😀', '\ude00\ud83d'))).toEqual(OMITTED);
  });

  it('half a pair stays alone when bytes come next, or the end', () => {
    const [before = '', after = ''] = `data: {"type":"error","x":"|","${NAME}":{}}\n\n`.split('|');
    const reader = new StreamFailureReportReader();
    reader.feedText(`${before}\ud83d`);
    reader.feed(Buffer.from(after));
    expect(reader.finish()?.toJSON()).toEqual(OMITTED);
    const limits = { maxDataBytes: 40, bufferBytes: 64 };
    const overByIt = `data: "${NAME}"${'y'.repeat(15 - 2)}\ud83d`;
    expect(readText(overByIt, [], limits)).toEqual(OMITTED);
    expect(reportOfBody(bytesOfText(overByIt), { maxDataBytes: 40 })?.toJSON()).toEqual(OMITTED);
  });
});

describe('the reader', () => {
  it('tells the report of ended events while the stream goes on', () => {
    const reader = new StreamFailureReportReader();
    expect(reader.report).toBeUndefined();
    reader.feed(Buffer.from(`data: ${terminal('a')}\n`));
    expect(reader.report).toBeUndefined();
    reader.feed(Buffer.from('\n'));
    expect(reader.report?.toJSON()).toEqual(reportOf('a'));
  });

  it('keeps nothing of the caller’s bytes', () => {
    const bytes = Buffer.from(`data: ${terminal('a')}\n\n`);
    const reader = new StreamFailureReportReader();
    reader.feed(bytes);
    bytes.fill(0);
    expect(reader.finish()?.toJSON()).toEqual(reportOf('a'));
  });

  it('observes into the current request’s log, without a failure of its own, once', () => {
    RequestFailureLog.capture((log) => {
      const reader = new StreamFailureReportReader();
      reader.feedText(`data: ${terminal('a')}\n\n`);
      reader.observe();
      reader.observe();
      expect(log.report.toJSON()).toEqual({ events: reportOf('a').events });
      expect(log.droppedEvents).toBe(0);
    });
  });

  it('observes nothing where there is no report or no request', () => {
    const reader = new StreamFailureReportReader();
    reader.feedText(`data: ${terminal('a')}\n\n`);
    expect(() => reader.observe()).not.toThrow();
    RequestFailureLog.capture((log) => {
      new StreamFailureReportReader().observe();
      reader.observe();
      expect(log.isEmpty).toBe(true);
    });
  });
});
