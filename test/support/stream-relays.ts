import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'vitest';
import { FAILURES_CHANNEL } from '../../src/transport/announce.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';

const EVENTS = { a: { event_id: 'a', boundary: 'model', failure_kind: 'cancelled', failure_reason: 'x 漢' } };
export const FIRST = Buffer.from('data: {"type":"response.created"}\n\n');
export const TERMINAL = Buffer.from(
  `data: ${JSON.stringify({ type: 'response.failed', nemo_gym_failure_report: { failure_id: 'a', events: EVENTS } })}\n\n`,
);
export const REPORT = { events: EVENTS };

export async function serve(context: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

export async function receive(url: string): Promise<IncomingMessage> {
  const [response]: IncomingMessage[] = await once(get(url), 'response');
  if (response === undefined) throw new Error('no response');
  return response;
}

/** Counts how often something is observed while `work` runs in a request of its own. */
export async function inRequest(
  work: (log: RequestFailureLog) => Promise<void>,
): Promise<{ report: unknown; times: number }> {
  let times = 0;
  const count = (): void => {
    times += 1;
  };
  FAILURES_CHANNEL.subscribe(count);
  try {
    return await RequestFailureLog.capture(async (log) => {
      await work(log);
      return { report: log.report.toJSON(), times };
    });
  } finally {
    FAILURES_CHANNEL.unsubscribe(count);
  }
}

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return chunks;
}

export const OBSERVED_ONCE = { report: REPORT, times: 1 };
