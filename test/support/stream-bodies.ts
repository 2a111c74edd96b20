import fc from 'fast-check';
import type { StreamReaderLimits } from '../../src/transport/stream/stream-reader.ts';

const NAME = 'nemo_gym_failure_report';

const report = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('a', 'b', 'é', '__proto__').map((id) => JSON.stringify(reportWith(id))) },
  fc.constantFrom('{}', 'null', '{"omitted":true}', '{"events":[]}', '7', '"text"', '{"failure_id":"z"}'),
);

function reportWith(id: string): unknown {
  const event = { event_id: id, boundary: 'model', failure_kind: 'cancelled', failure_reason: '漢 "x" 😀' };
  return { failure_id: id, events: Object.fromEntries([[id, event]]) };
}

const type = fc.constantFrom(
  '"type":"response.completed",',
  '"type":"response.failed",',
  '"type":"response.incomplete",',
  '"type":"error",',
  '"type":"message_stop",',
  '"type":"response.created",',
  '"type":"response.output_text.delta",',
  '"type":7,',
  '"type":null,',
  '',
  '',
);

/** A payload that carries a report, in the right place or in a wrong one; `\n` in it divides it over lines. */
const payload = fc
  .tuple(
    type,
    report,
    fc.constantFrom(
      (field: string) => `{TYPE${field}}`,
      (field: string) => `{TYPE"choices":[],${field}}`,
      (field: string) => `{TYPE"response":{"id":"r"},${field}}`,
      (field: string) => `{TYPE\n${field}}`,
      (field: string) => `{\nTYPE"pad":"${'y'.repeat(40)}",\n${field}\n}`,
      (field: string) => `{TYPE"response":{${field}}}`,
      (field: string) => `{TYPE"other":{${field}}}`,
      (field: string) => `[{TYPE${field}}]`,
      (field: string) => `{TYPE${field},`,
      (field: string) => `{TYPE"text":${JSON.stringify(field)}}`,
      (field: string) => `{TYPE"x":"\xff",${field}}`,
      (field: string) => `\ufeff{TYPE${field}}`,
    ),
  )
  .map(([kind, value, build]) => build(`"${NAME}":${value}`).replace('TYPE', () => kind));

const delta = fc.constantFrom(
  '{"type":"response.output_text.delta","delta":"hé 漢 😀"}',
  '{"object":"chat.completion.chunk","choices":[{"delta":{"content":"x"}}]}',
  '[DONE]',
  '',
  '{}',
  'null',
  `"${NAME}"`,
  `"${NAME.slice(0, 12)}`,
  `${NAME.slice(12)}"`,
  `{"text":"${NAME}"}`,
  `{"pad":"${'z'.repeat(300)}"}`,
  `{"pad":"${'z'.repeat(300)}","${NAME}":{}}`,
);

const prefix = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('data: ', 'data:') },
  fc.constantFrom('data:  ', 'data : ', ' data: ', 'datax:', ': ', '\ufeffdata:'),
);

const otherLine = fc.constantFrom(
  '',
  '',
  '',
  'data',
  'dat',
  'event: response.completed',
  'retry: 10',
  ': keep-alive',
  `: "${NAME}": {}`,
  `event: "${NAME}"`,
  'id',
);

/** Tokens in any order: what nobody would write. */
const noise = fc
  .array(
    fc.constantFrom(
      'data:',
      ' ',
      `"${NAME}"`,
      `"${NAME}":{"omitted":true}`,
      '{',
      '}',
      ',',
      '\\"',
      '\xff',
      '\ufeff',
      'y',
    ),
    { maxLength: 6 },
  )
  .map((tokens) => tokens.join(''));

const line = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(prefix, payload).map(([start, text]) => splitOver(start, text)) },
  { weight: 3, arbitrary: fc.tuple(prefix, delta).map(([start, text]) => start + text) },
  { weight: 4, arbitrary: otherLine },
  { weight: 1, arbitrary: noise },
);

function splitOver(start: string, text: string): string {
  return text
    .split('\n')
    .map((part) => start + part)
    .join('\n');
}

const lineEnd = fc.constantFrom('\n', '\n', '\r\n', '\r');

/** The text of a body: realistic and hostile lines, each with an end of its own; the last one may lack it. */
export const streamText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '', '\ufeff', '\ufeff\ufeff', '\n', '\r'),
    fc.oneof(
      lineEnd.map((end) => [end]),
      fc.array(lineEnd, { minLength: 1, maxLength: 4 }),
    ),
    fc.array(line, { maxLength: 14 }),
    fc.constantFrom(
      '',
      'data: x',
      `data: {"${NAME}":{}}`,
      `data: "${NAME}`,
      `data: "${NAME}" ${'y'.repeat(500)}`,
      `data: ${'y'.repeat(500)}`,
    ),
  )
  .map(([start, ends, lines, rest]) => {
    let text = start;
    let count = 0;
    for (const part of lines.flatMap((one) => one.split('\n'))) {
      text += part + ends[count % ends.length];
      count += 1;
    }
    return text + rest;
  });

/** The same with what is not UTF-8: `\xff` stands for that one byte. */
export const streamBody: fc.Arbitrary<Uint8Array> = streamText.map((text) =>
  Buffer.concat(
    text
      .split('\xff')
      .flatMap((part, index) => (index === 0 ? [Buffer.from(part)] : [Buffer.of(0xff), Buffer.from(part)])),
  ),
);

/** Places to cut at; those past the end of a body do nothing. */
export const cuts: fc.Arbitrary<number[]> = fc.array(fc.nat({ max: 1500 }), { maxLength: 12 });

/** Limits small enough for a generated body to go over them, and the wire's own. */
export const limits: fc.Arbitrary<Required<StreamReaderLimits>> = fc.record({
  maxDataBytes: fc.constantFrom(24, 30, 120, 200, 340, 1 << 20, 1 << 20, 1 << 20, 1 << 20),
  bufferBytes: fc.constantFrom(4, 7, 26, 64, 333, 64 * 1024),
  maxReportBytes: fc.constantFrom(0, 150, 400, 1 << 21, 1 << 21),
});
