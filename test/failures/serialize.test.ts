import assert from 'node:assert/strict';
import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { describe, expect, it, test, vi } from 'vitest';
import { agentRouteFailure, isAgentRouteFailure, routeReplyError } from '../../src/failures/agent-route.ts';
import { explicitCauses, failureReportFor } from '../../src/failures/cause-chain.ts';
import { handledEpisodeFailure, isHandledEpisodeFailure } from '../../src/failures/episode.ts';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';
import { rebuildFailure } from '../../src/failures/rebuild.ts';
import { deserializeFailure, serializeFailure } from '../../src/failures/serialize.ts';
import { readEvent } from '../../src/records/failure-event.ts';
import { FailureReport } from '../../src/records/failure-report.ts';
import { CHAIN_MAX_LINKS } from '../../src/records/wire.ts';
import { text } from '../support/arbitraries.ts';
import { canonical } from '../support/canonical.ts';
import { PROPERTY_TIMEOUT_MS, runs } from '../support/runs.ts';

const WAYS: Record<string, (data: unknown) => unknown> = {
  JSON: (data) => JSON.parse(JSON.stringify(data)),
  structuredClone: (data) => structuredClone(data),
  'v8.serialize': (data) => deserialize(serialize(data)),
};

const event = (cause?: unknown, failureReason = 'slow') =>
  new NgFailureEvent({
    boundary: 'model',
    failureKind: 'transport_timeout',
    failureReason,
    stage: 'agent',
    operation: 'responses',
    httpStatus: 504,
    details: { attempt: 2 },
    ...(cause === undefined ? {} : { cause }),
  });

/** There and back again by JSON. */
function carried(error: unknown): Error {
  return deserializeFailure(JSON.parse(JSON.stringify(serializeFailure(error))));
}

function event0(error: unknown): NgFailureEvent {
  if (!NgFailureEvent.is(error)) throw new TypeError('expected an event');
  return error;
}

describe.each(Object.entries(WAYS))('through %s', (_name, way) => {
  const through = (error: unknown) => deserializeFailure(way(serializeFailure(error)));

  it('brings a chain back as the same chain, foreign errors between the events included', () => {
    const inner = event(Object.assign(new TypeError('fetch failed'), { status: 502 }));
    const middle = new Error('the client gave up', { cause: inner });
    const outer = handledEpisodeFailure({
      failureKind: 'session_lost',
      failureReason: 'gone',
      terminal: true,
      partial: { steps: [1, { at: 2 }] },
      cause: agentRouteFailure('run', middle),
    });
    const back = through(outer);
    expect(canonical(failureReportFor(back))).toBe(canonical(failureReportFor(outer)));
    expect([...explicitCauses(back)].map(String)).toEqual([...explicitCauses(outer)].map(String));
    assert(isHandledEpisodeFailure(back));
    expect(back).toBeInstanceOf(NgFailureEvent);
    expect(back.toRecord()).toEqual(outer.toRecord());
    expect([back.terminal, back.partial]).toEqual([true, { steps: [1, { at: 2 }] }]);
    assert(isAgentRouteFailure(back.cause));
    expect(routeReplyError(back.cause)).toMatchObject({ message: 'the client gave up' });
  });

  it('keeps unknown members, odd names and a cause_id that leads nowhere', () => {
    const record = JSON.parse(
      '{"event_id":"__proto__","boundary":"agent","failure_kind":"a:b","failure_reason":"\\ud83d\\ude00","shard":{"__proto__":1},"cause_id":"elsewhere"}',
    );
    const error = NgFailureEvent.fromRecord(record, event());
    const lost = NgFailureEvent.fromRecord(record);
    for (const sent of [error, lost])
      expect(canonical(event0(through(sent)).toRecord())).toBe(canonical(sent.toRecord()));
  });

  it('brings a chain of 30,000 links back, and one that is longer as one that was cut', () => {
    let chain: Error = event();
    for (let links = 1; links < CHAIN_MAX_LINKS; links += 1) chain = new Error(`link ${links}`, { cause: chain });
    const whole = event(chain);
    expect(failureReportFor(whole).omitted).toBe(false);
    expect(canonical(failureReportFor(through(whole)))).toBe(canonical(failureReportFor(whole)));
    const cut = event(new Error('one more', { cause: whole }));
    expect(failureReportFor(cut).omitted).toBe(true);
    const back = through(cut);
    expect(canonical(failureReportFor(back))).toBe(canonical(failureReportFor(cut)));
    expect(canonical(failureReportFor(through(back)))).toBe(canonical(failureReportFor(cut)));
  });
});

test('an error that is no event comes back as a plain error with its type as data', () => {
  class RangeLimitError extends RangeError {
    readonly status = 429;
    readonly body = { secret: 1 };
  }
  const back = carried(new RangeLimitError('over at https://me:pw@host, token=abc', { cause: new SyntaxError('x') }));
  expect(Object.getPrototypeOf(back)).toBe(Error.prototype);
  expect(back).toMatchObject({ name: 'RangeLimitError', message: 'over at https://***@host, token=***', status: 429 });
  expect(Object.keys(back)).toEqual(['status']);
  expect(back.cause).toMatchObject({ name: 'SyntaxError', message: 'x' });
  expect(back.cause).not.toBeInstanceOf(SyntaxError);
});

test('names of types that exist here are not looked up', () => {
  const back = deserializeFailure({
    ng_failure: 1,
    links: [{ foreign_error: { exception_type: 'NgFailureEvent', message: 'x' } }],
  });
  expect(NgFailureEvent.is(back)).toBe(false);
  expect(failureReportFor(back).isEmpty).toBe(true);
});

test.each([
  ['thrown text', 'string'],
  [42, 'number'],
  [undefined, 'undefined'],
  [null, 'null'],
  [{ a: 1 }, 'Object'],
])('%j comes back as an error that tells its type', (thrown, type) => {
  const back = carried(thrown);
  expect(back).toBeInstanceOf(Error);
  expect(back.name).toBe(type);
});

test('what is not JSON data in the partial evidence is said as JSON says it, a circle is cut', () => {
  const circle: Record<string, unknown> = { name: 'circle', big: 2n };
  circle.self = circle;
  const failure = (partial: unknown) =>
    handledEpisodeFailure({ failureKind: 'session_lost', failureReason: 'gone', terminal: false, partial });
  expect(carried(failure({ at: new Date(0), nothing: undefined }))).toMatchObject({
    partial: { at: '1970-01-01T00:00:00.000Z' },
  });
  expect(carried(failure(circle))).toMatchObject({ terminal: false, partial: { name: 'circle', big: '2' } });
  expect('partial' in carried(failure(() => 1))).toBe(false);
});

test('stacks, the hop’s reply and everything else of an error stay behind', () => {
  const failure = event(Object.assign(new Error('x'), { headers: { authorization: 'Bearer abc' } }));
  failure.httpError = Object.assign(new Error('HTTP 500'), { status: 500, body: 'the reply’s body' });
  const said = JSON.stringify(serializeFailure(failure));
  expect(said).not.toMatch(/serialize\.test|authorization|the reply’s body/);
});

test('a failure that came with a reply keeps that it did; one made here is restored over there', () => {
  const reply = rebuildFailure(failureReportFor(event()));
  const provenance = (error: unknown) => {
    const links = serializeFailure(error).links.map((link) => 'event' in link && link.reply === true);
    return links[0];
  };
  expect([provenance(reply), provenance(carried(reply))]).toEqual([true, true]);
  expect([provenance(event()), provenance(carried(event()))]).toEqual([false, false]);
});

test('a cycle ends the chain', () => {
  const inner = event();
  const outer = event(inner);
  inner.cause = outer;
  const back = carried(outer);
  expect([...explicitCauses(back)]).toHaveLength(2);
  expect(canonical(failureReportFor(back))).toBe(canonical(failureReportFor(outer)));
});

test('a hostile chain is bounded and never throws', () => {
  const refuse = () => {
    throw new Error('no');
  };
  const endless = (): unknown => Object.defineProperty(new Error('deeper'), 'cause', { get: endless });
  const refusing = new Proxy(new Error('x'), { get: refuse, getPrototypeOf: refuse, has: refuse });
  const partial = new Proxy({}, { get: refuse, ownKeys: refuse });
  const handled = { failureKind: 'session_lost', failureReason: 'gone', terminal: true, partial };
  expect(serializeFailure(event(endless())).links.length).toBeLessThanOrEqual(CHAIN_MAX_LINKS + 2);
  expect(failureReportFor(carried(event(refusing))).events.size).toBe(1);
  expect(carried(handledEpisodeFailure(handled))).toMatchObject({ terminal: true });
});

const good = { event_id: 'a', boundary: 'agent', failure_kind: 'cancelled', failure_reason: 'x' };
test.each([
  [undefined, /undefined is not what serializeFailure\(\) gives/],
  ['text', /"text" is not what/],
  [new Error('x'), /an object is not what/],
  [{ ng_failure: 2, links: [] }, /is not what/],
  [{ ng_failure: 1, links: {} }, /is not what/],
  [{ ng_failure: 1, links: [] }, /0 links, expected 1 to 30002/],
  [{ ng_failure: 1, links: new Array(30_003).fill({ event: good }) }, /30003 links/],
  [{ ng_failure: 1, links: [{ event: good }, 7] }, /links\[1\]: expected an object, got 7/],
  [{ ng_failure: 1, links: [{}] }, /links\[0\]: neither an event nor a foreign_error/],
  [{ ng_failure: 1, links: [{ foreign_error: { exception_type: '', message: 'x' } }] }, /links\[0\]: neither/],
  [{ ng_failure: 1, links: [{ foreign_error: { exception_type: 'E', message: 'x', http_status: 9 } }] }, /links\[0\]/],
  [{ ng_failure: 1, links: [{ event: null }] }, /links\[0\]: .*event_id/],
  [{ ng_failure: 1, links: [{ event: { ...good, boundary: 'moon' } }] }, /links\[0\]: .*boundary.*"moon"/],
  [
    { ng_failure: 1, links: [{ event: { ...good, failure_kind: 'No Kind' } }] },
    /links\[0\]: .*failure_kind.*"No Kind"/,
  ],
  [{ ng_failure: 1, links: [{ event: good, episode: { terminal: 'yes' } }] }, /episode\.terminal: .*"yes"/],
])('data number %# is refused with a TypeError that says why', (data, message) => {
  expect(() => deserializeFailure(data)).toThrow(TypeError);
  expect(() => deserializeFailure(data)).toThrow(message);
});

test('facts that another program wrote are bounded when they are read', () => {
  const links = [
    { event: good },
    { foreign_error: { exception_type: 'E'.repeat(999), message: 'm\ud800'.repeat(999) } },
  ];
  const facts = event0(deserializeFailure({ ng_failure: 1, links })).toRecord().foreign_error;
  expect([facts?.exception_type.length, facts?.message.length, facts?.message.isWellFormed()]).toEqual([
    200,
    500,
    true,
  ]);
});

test('a message that was cut inside a masked credential is not masked a second time', () => {
  const failure = event(new Error(`${'a '.repeat(240)}token=secret${' a'.repeat(50)}`));
  const facts = (error: unknown) => event0(error).toRecord().foreign_error?.message;
  expect(facts(failure)).toMatch(/token=\.\.\.\[truncated\]$/);
  expect(facts(carried(failure))).toBe(facts(failure));
});

test('a credential is masked whole, however long it is', () => {
  const said = JSON.stringify(serializeFailure(new Error(`token=${'s'.repeat(900)} refused`)));
  expect(said).toContain('token=*** refused');
});

test('a kind that only the other thread registered comes back as unregistered', () => {
  const links = [{ event: { ...good, failure_kind: 'gpu_on_fire' } }];
  expect(deserializeFailure({ ng_failure: 1, links })).toMatchObject({ failureKind: 'unregistered:gpu_on_fire' });
});

test('the data is not kept: changing it afterwards changes nothing', () => {
  const data = JSON.parse(JSON.stringify(serializeFailure(event())));
  const back = event0(deserializeFailure(data));
  data.links[0].event.details.attempt = 99;
  expect(back.toRecord().details).toEqual({ attempt: 2 });
});

test('another copy of the package reads what this one wrote, and writes what this one reads', async () => {
  const chain = agentRouteFailure('run', event(new Error('x')));
  vi.resetModules();
  const other = await import('../../src/failures/serialize.ts');
  expect(other.serializeFailure).not.toBe(serializeFailure);
  const back = deserializeFailure(other.serializeFailure(other.deserializeFailure(serializeFailure(chain))));
  expect(isAgentRouteFailure(back)).toBe(true);
  expect(canonical(failureReportFor(back))).toBe(canonical(failureReportFor(chain)));
});

/** Messages with what is masked in them, long enough to be cut, also inside of what was masked. */
const message = fc
  .tuple(
    fc.nat({ max: 600 }),
    fc.array(fc.oneof(text, fc.constantFrom('token=', 'Bearer ', '//me:pw@', 'sk-abcdefghij', ' ', 'x'.repeat(600))), {
      maxLength: 6,
    }),
  )
  .map(([pad, parts]) => 'a '.repeat(pad / 2) + parts.join(''));

const foreignLink = fc.record({
  name: fc.constantFrom('Error', 'TypeError', 'APIConnectionError', 'Object', '', 'JudgeError'),
  message,
  status: fc.oneof(fc.integer({ min: 90, max: 610 }), fc.constant('text')),
});
const eventLink = fc.record({
  event: fc.record(
    {
      event_id: fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor'),
      boundary: fc.constantFrom('model', 'agent', 'environment'),
      failure_kind: fc.constantFrom('cancelled', 'shutdown', 'a:b', 'gpu_on_fire'),
      failure_reason: text,
      stage: fc.constantFrom('seed', 'cleanup'),
      cause_id: fc.constantFrom('a', 'z'),
      details: fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 }),
      shard: fc.jsonValue({ maxDepth: 2 }),
    },
    { requiredKeys: ['event_id', 'boundary', 'failure_kind', 'failure_reason'] },
  ),
});

describe('any chain', { timeout: PROPERTY_TIMEOUT_MS }, () => {
  it('gives the same report and the same records before and after, however often it is carried', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(eventLink, foreignLink), { minLength: 1, maxLength: 8 }), (links) => {
        const error = links.reduceRight<unknown>((cause, link) => {
          if (!('event' in link)) {
            return Object.assign(new Error(link.message, { cause }), { name: link.name, status: link.status });
          }
          const record: unknown = JSON.parse(JSON.stringify(link.event).toWellFormed());
          return NgFailureEvent.fromRecord(readEvent(record, link.event.event_id), cause);
        }, undefined);
        const once = carried(error);
        const twice = carried(once);
        for (const back of [once, twice]) {
          assert.equal(canonical(failureReportFor(back)), canonical(failureReportFor(error)));
          assert.equal([...explicitCauses(back)].length, links.length);
        }
        const [sent, got] = [[...explicitCauses(error)], [...explicitCauses(twice)]];
        for (const [index, link] of sent.entries()) {
          const back = got[index];
          assert.equal(NgFailureEvent.is(back), NgFailureEvent.is(link));
          if (NgFailureEvent.is(link) && NgFailureEvent.is(back)) {
            assert.equal(canonical(back.toRecord()), canonical(link.toRecord()));
          }
        }
      }),
      runs(),
    );
  });

  it('makes data that every way of carrying leaves as it is, and whose report is valid', () => {
    fc.assert(
      fc.property(eventLink, foreignLink, message, ({ event: record }, foreign, words) => {
        const read = readEvent(JSON.parse(JSON.stringify(record).toWellFormed()), record.event_id);
        const cause = Object.assign(new Error(words), foreign);
        const data = serializeFailure(new Error('outer', { cause: NgFailureEvent.fromRecord(read, cause) }));
        for (const way of Object.values(WAYS)) assert.equal(canonical(way(data)), canonical(data));
        FailureReport.parse(failureReportFor(deserializeFailure(data)).toJSON());
      }),
      runs(),
    );
  });
});
