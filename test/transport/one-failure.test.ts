import http from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { agentRouteFailure, routeReplyError } from '../../src/failures/agent-route.ts';
import { failureReportFor } from '../../src/failures/cause-chain.ts';
import { handledEpisodeFailure, isHandledEpisodeFailure } from '../../src/failures/episode.ts';
import { judgeFailure } from '../../src/failures/judge.ts';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';
import { FailureReport } from '../../src/records/failure-report.ts';
import { episodeFailureResponse } from '../../src/transport/episode-response.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { judgeFailsafe } from '../../src/transport/judge-failsafe.ts';
import { failRequest, observeFailure } from '../../src/transport/observe.ts';
import { withFailureReports } from '../../src/transport/reply/listener.ts';
import { HttpReplyError, raiseBoundaryFailure, raiseForStatus } from '../../src/transport/reply-error.ts';
import { FailureReportRow } from '../../src/transport/row.ts';
import { portOf } from '../support/http-raw.ts';

/** A route: what it gives back is sent as JSON with status 200, what it throws becomes a reply as in a Gym server. */
type Route = () => Promise<unknown>;

class Busy extends Error {
  override readonly name = 'Busy';
  readonly status = 503;
  readonly request = { headers: { authorization: 'Bearer the-credential' }, body: 'the prompt' };
  readonly response = { data: 'the payload' };
}

const servers: http.Server[] = [];

async function serve(route: Route): Promise<string> {
  const listener = withFailureReports(async (_request: http.IncomingMessage, response: http.ServerResponse) => {
    let status = 200;
    let body: unknown;
    try {
      body = await route();
    } catch (error) {
      failRequest(error);
      const answering = routeReplyError(error);
      status = answering instanceof HttpReplyError ? answering.status : 500;
      body = 'Internal Server Error';
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const server = http.createServer((request, response) => void listener(request, response));
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${portOf(server)}`;
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const modelFailure = (cause?: unknown) =>
  new NgFailureEvent({
    boundary: 'model',
    failureKind: 'provider_unavailable',
    failureReason: 'the provider is busy',
    operation: 'responses',
    httpStatus: 503,
    ...(cause === undefined ? undefined : { cause }),
  });

const failing = (error: unknown): Route => {
  return async () => {
    throw error;
  };
};

/** An agent that calls the model once and fails with it. */
const agentOver =
  (model: string): Route =>
  async () => {
    try {
      await raiseBoundaryFailure(await fetch(model));
      return 'answered';
    } catch (error) {
      throw agentRouteFailure('run', error);
    }
  };

async function thrownBy(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('one failure, through real servers', () => {
  it('arrives above two hops under the ids it was made with, linked to its explicit causes', async () => {
    const made = modelFailure(new Busy('try later'));
    const reply = await fetch(await serve(agentOver(await serve(failing(made)))));
    const report = FailureHeader.decode(reply.headers);
    const [agent, model] = report?.events.values() ?? [];
    expect(report?.events.size).toBe(2);
    expect(agent).toMatchObject({ boundary: 'agent', failure_kind: 'agent_run_error', cause_id: made.eventId });
    expect(report?.failureId).toBe(agent?.event_id);
    expect(model).toEqual({
      ...made.toRecord(),
      foreign_error: { exception_type: 'Busy', message: 'try later', http_status: 503 },
    });
  });

  it('is raised again by the caller with its causes, and the hop’s status and body stand apart', async () => {
    const inner = modelFailure();
    const outer = new NgFailureEvent({
      boundary: 'resources_server',
      failureKind: 'verifier_error',
      failureReason: 'no score',
      stage: 'verification',
      cause: inner,
    });
    const url = await serve(failing(outer));
    const raised = await thrownBy(async () => raiseBoundaryFailure(await fetch(url)));
    if (!NgFailureEvent.is(raised)) throw raised;
    expect(raised.toRecord()).toEqual(outer.toRecord());
    expect(NgFailureEvent.is(raised.cause) && raised.cause.toRecord()).toEqual(inner.toRecord());
    expect(raised.httpError).toMatchObject({ status: 500, body: '"Internal Server Error"' });
    expect(JSON.stringify(failureReportFor(raised))).not.toContain('Internal Server Error');
  });

  it('is the cause of the HTTP error that raiseForStatus throws for callers that decide by status', async () => {
    const made = modelFailure();
    const url = await serve(failing(made));
    const raised = await thrownBy(async () => raiseForStatus(await fetch(url)));
    expect(raised).toBeInstanceOf(HttpReplyError);
    expect(raised).toMatchObject({ status: 500, cause: { eventId: made.eventId } });
  });

  it('changes neither status nor body that the agent’s route sends', async () => {
    const bare = http.createServer((_request, response) => void response.writeHead(429).end('slow down'));
    servers.push(bare);
    await new Promise<void>((listening) => bare.listen(0, '127.0.0.1', listening));
    const model = `http://127.0.0.1:${portOf(bare)}`;
    const reply = await fetch(await serve(agentOver(model)));
    expect([reply.status, await reply.text()]).toEqual([429, '"Internal Server Error"']);
    expect([...(FailureHeader.decode(reply.headers)?.events.values() ?? [])]).toMatchObject([{ boundary: 'agent' }]);
  });

  it('that a retry recovered travels on the success reply, which has no failure of its own', async () => {
    const attempt = modelFailure();
    const url = await serve(async () => {
      observeFailure(attempt);
      return { answer: 42 };
    });
    const reply = await fetch(url);
    expect([reply.status, await reply.json()]).toEqual([200, { answer: 42 }]);
    const report = FailureHeader.decode(reply.headers);
    expect([report?.failureId, [...(report?.events.keys() ?? [])]]).toEqual([undefined, [attempt.eventId]]);
  });

  it('that is too large is omitted at each hop above, while status and body still arrive', async () => {
    const large = new NgFailureEvent({
      boundary: 'model',
      failureKind: 'provider_unavailable',
      failureReason: 'long',
      details: { observed: 'x'.repeat(4096) },
    });
    const reply = await fetch(await serve(agentOver(await serve(failing(large)))));
    expect([reply.status, await reply.text()]).toEqual([500, '"Internal Server Error"']);
    const report = FailureHeader.decode(reply.headers);
    expect(report?.omitted).toBe(true);
    expect(FailureReportRow.mergedInto({ reward: 0 }, report ?? FailureReport.EMPTY)).toMatchObject({
      reward: 0,
      _ng_failure_events_omitted: true,
    });
  });

  it('is saved beside the row’s own fields, whose outcome stays as it is', async () => {
    const made = modelFailure();
    const reply = await fetch(await serve(failing(made)));
    const row = { reward: 0.25, _ng_task_index: 3 };
    const report = FailureHeader.decode(reply.headers) ?? FailureReport.EMPTY;
    expect(FailureReportRow.mergedInto(row, report)).toEqual({
      reward: 0.25,
      _ng_task_index: 3,
      _ng_failure_events: { [made.eventId]: made.toRecord() },
      _ng_failure_id: made.eventId,
    });
  });

  it('takes no request, credential or payload of a client’s error with it', async () => {
    const reply = await fetch(await serve(failing(modelFailure(new Busy('refused Bearer the-credential')))));
    const sent = reply.headers.get(FailureHeader.NAME);
    expect(sent).toContain('refused Bearer ***');
    expect(sent).not.toMatch(/the-credential|the prompt|the payload/);
  });

  it('links only what is a cause: not what was caught before, nor what an error holds beside', async () => {
    const beside = modelFailure();
    const made = await thrownBy(async () => {
      try {
        throw beside;
      } catch {
        const several = new AggregateError([beside], 'both broke');
        throw new NgFailureEvent({
          boundary: 'environment',
          failureKind: 'session_lost',
          failureReason: 'gone',
          cause: several,
        });
      }
    });
    expect([...failureReportFor(made).events.values()]).toMatchObject([
      { failure_kind: 'session_lost', foreign_error: { exception_type: 'AggregateError' } },
    ]);
    expect(failureReportFor(made).events.size).toBe(1);
  });

  it('of a judge is judge_failed above its provider’s, on a reply with status 200', async () => {
    const provider = await serve(failing(modelFailure()));
    const verify = judgeFailsafe(async (_body: object) => {
      try {
        await raiseBoundaryFailure(await fetch(provider));
      } catch (cause) {
        throw judgeFailure({ cause });
      }
    });
    const reply = await fetch(await serve(() => verify({ response: 'the answer' })));
    expect([reply.status, await reply.json()]).toMatchObject([200, { response: 'the answer', reward: 0 }]);
    const events = [...(FailureHeader.decode(reply.headers)?.events.values() ?? [])];
    const judge = events.find((event) => event.failure_kind === 'judge_failed');
    expect(events.find((event) => event.event_id === judge?.cause_id)?.failure_kind).toBe('provider_unavailable');
  });

  it('of an episode is answered with status 200, its report in the body and observed in the header', async () => {
    const reply = await fetch(
      await serve(async () => {
        const failure: unknown = handledEpisodeFailure({
          failureKind: 'session_lost',
          failureReason: 'gone',
          terminal: false,
          partial: { trajectory: ['step 1'] },
        });
        observeFailure(modelFailure());
        return isHandledEpisodeFailure(failure) ? episodeFailureResponse(failure) : undefined;
      }),
    );
    const body: unknown = await reply.json();
    expect(reply.status).toBe(200);
    expect(body).toMatchObject({
      failure: { failure_reason: 'gone', terminal: false, failure_kind: 'session_lost' },
      trajectory: ['step 1'],
    });
    const inBody = FailureReport.parse(Reflect.get(Object(body), 'failure_report'));
    const inHeader = FailureHeader.decode(reply.headers);
    expect(inHeader?.failureId).toBeUndefined();
    expect([...(inHeader?.events.keys() ?? [])].sort()).toEqual([...inBody.events.keys()].sort());
    expect(inBody.events.size).toBe(2);
  });
});
