// Routes whose handlers call another server, `peer`, in this process: over node:http, node:https, global fetch and the
// undici package. What its replies report must be in the report of the reply that the caller sends.
const { once } = require('node:events');
const { setTimeout: delay } = require('node:timers/promises');
const { ownAgent } = require('./own-fetch.cjs');

const NAME = 'X-NG-Failure-Report';
const eventsOf = (id) => ({
  events: {
    [id]: { event_id: id, boundary: 'model', failure_kind: 'transport_timeout', failure_reason: `reason of ${id}` },
  },
});
const FILLER = 'data: {"type":"response.output_text.delta","delta":"…"}\n\n';

/** The peer's own bytes: the same in every cell, with the package and without it. */
module.exports.peerRoutesOf = ({ gym }) => ({
  '/report': (_, res, id) => res.setHeader(NAME, JSON.stringify(eventsOf(id))).end('reported'),
  '/hop': (_, res, id) => {
    gym.own(id);
    res.writeHead(503).end('failed');
  },
  '/hints': (_, res, id) =>
    res.writeEarlyHints({ link: '</a>; rel=preload' }, () =>
      res.setHeader(NAME, JSON.stringify(eventsOf(id))).end('x'),
    ),
  '/stream': async (_, res, id) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const event = `data: ${JSON.stringify({ type: 'response.failed', nemo_gym_failure_report: eventsOf(id) })}`;
    const parts = [FILLER, FILLER.slice(0, 9), FILLER.slice(9), event.slice(0, 70), event.slice(70), '\r\n\r\n'];
    for (const part of [...parts, 'data: [DONE]\n\n']) {
      res.write(part);
      await delay(1);
    }
    res.end();
  },
  '/cut': async (_, res, id) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    res.write(`data: ${JSON.stringify({ type: 'error', nemo_gym_failure_report: eventsOf(id) })}\n\n`);
    await delay(10);
    res.destroy();
  },
});

/** Each client as a function from an address to { status, body }, where `body` can be iterated. */
module.exports.clientsOf = ({ http, https, undici }) => {
  const nodes = (lib) => async (url) => {
    const request = lib.request(url, { method: 'POST', rejectUnauthorized: false });
    request.end('{}');
    const [response] = await once(request, 'response');
    return { status: response.statusCode, body: response };
  };
  const fetched = (fetch, dispatcher) => async (url) => {
    const response = await fetch(url, { method: 'POST', body: '{}', dispatcher });
    return { status: response.status, body: response.body };
  };
  // An agent of its own: the one that all copies of undici share is that of Node's fetch.
  const agent = new undici.Agent();
  return {
    'http.request': nodes(http),
    'https.request': nodes(https),
    'fetch, its own agent': fetched(fetch, ownAgent),
    'fetch, any agent': fetched(fetch),
    'undici.fetch': fetched(undici.fetch, agent),
    'undici.request': async (url) => {
      const { statusCode, body } = await undici.request(url, { method: 'POST', body: '{}', dispatcher: agent });
      return { status: statusCode, body };
    },
  };
};

/** `/call/<client>/<peer's route>` answers with what the peer said; `/relay/<client>` passes a stream on as it comes. */
module.exports.callRoutesOf = ({ gym, note, clients, peers }) => {
  const routes = {};
  for (const [client, call] of Object.entries(clients)) {
    const slug = slugOf(client);
    const peer = (route, id) => `${client === 'https.request' ? peers.https : peers.http}${route}?id=${id}`;
    for (const route of ['/report', '/hop', '/hints', '/stream', '/cut']) {
      routes[`/call/${slug}${route}`] = async (_, res) => {
        const { status, body } = await call(peer(route, `${slug}${route}`));
        const parts = [];
        let end = 'whole';
        try {
          for await (const part of body) parts.push(part);
        } catch {
          end = 'cut';
        }
        res.setHeader('X-Body', end);
        res.writeHead(status).end(Buffer.concat(parts));
      };
    }
    routes[`/relay/${slug}`] = async (_, res) => {
      const { body } = await call(peer('/stream', `${slug}/relayed`));
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for await (const part of body) res.write(part);
      note(`relay ${slug}`, gym.reportNow());
      res.end();
    };
  }
  return routes;
};

/** A client's name as a part of a path. */
const slugOf = (client) => client.replaceAll(/[^a-z.]+/g, '-');
