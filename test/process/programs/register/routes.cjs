/** What every app here does, given the package and OpenTelemetry's API as the app itself loads them. */
const http = require('node:http');

const failure = (gym, id, boundary, cause) =>
  gym.NgFailureEvent.fromRecord(
    { event_id: id, boundary, failure_kind: 'transport_timeout', failure_reason: id },
    cause,
  );

module.exports = (gym, api) => {
  const key = api.createContextKey('opentelemetry-instrumentation-nemo-gym request failure log');
  /** Whether a log is there, and whether the OpenTelemetry context is where it is. */
  const place = () => {
    const log = gym.RequestFailureLog.current();
    if (log === undefined) return 'none';
    return api.context.active().getValue(key) === log ? 'context' : 'storage';
  };

  /** Where the log of a request is met after its end. */
  let tell;
  const afterwards = new Promise((resolve) => (tell = resolve));

  const routes = {
    /** A body that comes late: what is observed at each of its events, and where the log is there. */
    '/late': (request, response) => {
      const places = { handler: place() };
      request.on('data', () => {
        places.data = place();
        gym.observeFailure(failure(gym, 'in-data', 'model'));
      });
      request.on('end', () => {
        places.end = place();
        response.once('close', () => setTimeout(() => tell(place()), 5));
        response.end(JSON.stringify(places));
      });
    },
    '/afterwards': async (_, response) => response.end(JSON.stringify(await afterwards)),
    '/own': (request, response) => {
      gym.failRequest(failure(gym, 'own', 'model', failure(gym, 'cause', 'model')));
      response.writeHead(503).end(JSON.stringify({ traceparent: request.headers.traceparent ?? null }));
    },
    /** Calls another server, twice: what its failure was comes with its replies. */
    '/call': async (request, response) => {
      const [, port] = request.url.split('?port=');
      const url = `http://127.0.0.1:${port}/own`;
      const fetched = await fetch(url).then((reply) => reply.json());
      const got = await new Promise((resolve, reject) => {
        http
          .get(url, (reply) => {
            let text = '';
            reply.on('data', (chunk) => (text += chunk)).on('end', () => resolve(JSON.parse(text)));
          })
          .on('error', reject);
      });
      gym.failRequest(failure(gym, 'above', 'agent'));
      response.writeHead(502).end(JSON.stringify([fetched.traceparent, got.traceparent]));
    },
  };
  return (request, response) => {
    const [path] = request.url.split('?');
    return routes[path](request, response);
  };
};

/** Tells the port, and lets the process end by itself when the input does, so that an SDK can send what it holds. */
module.exports.start = (server) => {
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
  process.stdin.resume().on('end', () => {
    server.close();
    server.closeAllConnections();
  });
};
