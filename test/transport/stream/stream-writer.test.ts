import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import OpenAI, { APIError } from 'openai';
import { describe, expect, it, type TestContext } from 'vitest';
import { NgFailureEvent } from '../../../src/failures/ng-failure-event.ts';
import { failRequest, observeFailure } from '../../../src/transport/observe.ts';
import { RequestFailureLog } from '../../../src/transport/request-log.ts';
import { StreamFailureReportReader } from '../../../src/transport/stream/stream-reader.ts';
import {
  failureStreamEvent,
  type StreamDialect,
  withFailureReport,
} from '../../../src/transport/stream/stream-writer.ts';

const FIELD = 'nemo_gym_failure_report';

function attempt(): NgFailureEvent {
  return new NgFailureEvent({ boundary: 'model', failureKind: 'transport_timeout', failureReason: 'read timed out' });
}

function ownFailure(): NgFailureEvent {
  return new NgFailureEvent({
    boundary: 'agent',
    failureKind: 'agent_run_error',
    failureReason: 'the agent broke:\r\ndata: "x" 漢 \u2028 \ud83d',
    cause: Object.assign(new Error('key sk-123 was refused'), { cause: attempt() }),
  });
}

function eventsOf(text: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  createParser({ onEvent: (event) => events.push(event) }).feed(text);
  return events;
}

function read(text: string): unknown {
  const reader = new StreamFailureReportReader();
  reader.feedText(text);
  return reader.finish()?.toJSON();
}

describe('a terminal event', () => {
  const completed = Object.freeze({ type: 'response.completed', response: { id: 'r1' } });

  it('carries what the request observed, in a copy', () => {
    RequestFailureLog.capture((log) => {
      observeFailure(attempt());
      const event = withFailureReport(completed);
      expect(event).toEqual({ ...completed, [FIELD]: log.report.toJSON() });
      expect(completed).not.toHaveProperty(FIELD);
    });
  });

  it('carries the request’s own failure first, given or named before', () => {
    RequestFailureLog.capture((log) => {
      const error = ownFailure();
      observeFailure(attempt());
      const given = withFailureReport(completed, error);
      expect(given[FIELD]).toMatchObject({ failure_id: error.eventId });
      expect(Object.keys(given[FIELD]?.events ?? {})).toHaveLength(3);
      failRequest(error);
      expect(withFailureReport(completed)[FIELD]).toEqual(log.replyReport().toJSON());
    });
  });

  it('stays the same object when there is nothing to report', () => {
    expect(withFailureReport(completed)).toBe(completed);
    expect(withFailureReport(completed, new Error('no event'))).toBe(completed);
    RequestFailureLog.capture(() => expect(withFailureReport(completed)).toBe(completed));
  });

  it('keeps a report that it carries already, at its top level or inside response', () => {
    const forwarded = attempt();
    const report = { failure_id: forwarded.eventId, events: { [forwarded.eventId]: forwarded.toRecord() } };
    const error = attempt();
    for (const event of [
      { type: 'error', [FIELD]: report },
      { type: 'error', response: { [FIELD]: report } },
    ]) {
      expect(withFailureReport(event, error)[FIELD]).toEqual({
        failure_id: error.eventId,
        events: { [error.eventId]: error.toRecord(), [forwarded.eventId]: forwarded.toRecord() },
      });
      expect(withFailureReport(event)).toBe(event);
    }
    expect(withFailureReport({ [FIELD]: 'broken' }, error)[FIELD]).toMatchObject({ omitted: true });
  });
});

describe('the event of a route that failed after the headers left', () => {
  const expected: Record<StreamDialect, { event: string | undefined; data: Record<string, unknown> }> = {
    responses: {
      event: 'response.failed',
      data: { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error' } } },
    },
    chat: { event: undefined, data: { error: { type: 'server_error', param: null, code: 'agent_run_error' } } },
    messages: { event: 'error', data: { type: 'error', error: { type: 'api_error' } } },
  };

  it.each(['responses', 'chat', 'messages'] as const)('%s', (dialect) => {
    const error = ownFailure();
    const text = failureStreamEvent(dialect, error);
    const events = eventsOf(text);
    expect(events).toHaveLength(1);
    expect(events[0]?.event).toBe(expected[dialect].event);
    const data = JSON.parse(events[0]?.data ?? '');
    expect(data).toMatchObject(expected[dialect].data);
    expect((data.error ?? data.response.error).message).toBe(error.failureReason);
    // The chain's third-party text is where the wire puts it, in foreign_error, and nowhere else.
    const { [FIELD]: report, ...rest } = data;
    expect(JSON.stringify(rest)).not.toContain('sk-123');
    expect(Object.keys(report.events)).toHaveLength(2);
    expect(read(text)).toEqual(report);
    expect(text.isWellFormed()).toBe(true);
    expect(text.match(/^data: /gm)).toHaveLength(1);
    expect(text.endsWith('}\n\n')).toBe(true);
  });

  it.each(['responses', 'chat', 'messages'] as const)(
    '%s: without an event in the chain the error’s text stays inside',
    (dialect) => {
      const text = failureStreamEvent(dialect, new Error('key sk-123 was refused'));
      expect(text).toContain('The server failed while it streamed its reply');
      expect(text).not.toContain('sk-123');
      expect(text).not.toContain(FIELD);
      expect(read(text)).toBeUndefined();
    },
  );

  it('still reports what the request observed before', () => {
    RequestFailureLog.capture((log) => {
      observeFailure(attempt());
      expect(read(failureStreamEvent('chat', new Error('x')))).toEqual(log.report.toJSON());
    });
  });

  it('keeps the members that the stream gave its response, and sets its own', () => {
    const event = { sequence_number: 7, type: 'x', response: { id: 'r1', status: 'in_progress', output: [] } };
    const [message] = eventsOf(failureStreamEvent('responses', attempt(), { event }));
    expect(JSON.parse(message?.data ?? '')).toMatchObject({
      sequence_number: 7,
      type: 'response.failed',
      response: { id: 'r1', status: 'failed', output: [], error: { message: 'read timed out' } },
    });
    const [chat] = eventsOf(failureStreamEvent('chat', attempt(), { event: { id: 'c1', type: 'x' } }));
    expect(JSON.parse(chat?.data ?? '')).not.toHaveProperty('type');
  });

  it('refuses another dialect by name', () => {
    // Only JavaScript can pass it.
    expect(() => failureStreamEvent('gopher' as never)).toThrow(/"gopher": use "responses", "chat", "messages"/);
  });
});

describe('through the openai client', () => {
  async function client(context: TestContext, listener: RequestListener): Promise<OpenAI> {
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      RequestFailureLog.capture(() => listener(request, response));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    context.onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'none', maxRetries: 0 });
  }

  it('a failed response is an event with the report', async (context) => {
    const error = ownFailure();
    const openai = await client(context, (_request, response) => {
      response.write('event: response.created\ndata: {"type":"response.created","response":{"id":"r1"}}\n\n');
      response.end(failureStreamEvent('responses', error, { event: { response: { id: 'r1' } } }));
    });
    const events: unknown[] = [];
    for await (const event of await openai.responses.create({ model: 'm', input: 'x', stream: true }))
      events.push(event);
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { id: 'r1', status: 'failed', error: { message: error.failureReason } },
      [FIELD]: { failure_id: error.eventId },
    });
  });

  it('a failed chat is the error that the client throws', async (context) => {
    const openai = await client(context, (_request, response) => {
      response.write('data: {"object":"chat.completion.chunk","choices":[]}\n\n');
      response.end(failureStreamEvent('chat', attempt()));
    });
    const stream = await openai.chat.completions.create({ model: 'm', messages: [], stream: true });
    const error: unknown = await (async () => {
      for await (const _chunk of stream);
    })().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: 'transport_timeout', type: 'server_error' });
    expect(String(error)).toContain('read timed out');
  });
});
