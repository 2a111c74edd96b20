// All servers of a cell, on modules that main.mjs imported or main.cjs required.
const { once } = require('node:events');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const routesOf = require('./app.cjs');
const calls = require('./calls.cjs');
const expressApp = require('./express-app.cjs');
const gymOf = require('./gym.cjs');
const waysOutOf = require('./ways-out.cjs');

/** Makes them, and gives back the port of each by its name. `noted` collects the reports that no header carries. */
module.exports = async function listen({ http, https, http2, express, undici, pkg, adapter }) {
  const noted = {};
  const note = (name, report) => {
    noted[name] = report === undefined ? 'nothing' : JSON.stringify(report);
  };
  const gym = gymOf(pkg, adapter);
  const tls = JSON.parse(readFileSync(join(__dirname, 'tls.json'), 'utf8'));
  const routes = { ...waysOutOf({ gym }), ...routesOf({ gym, note }) };
  // A route that throws is a difference to see in its case, not the end of all cases.
  const serve = async (req, res) => {
    try {
      await routes[req.url](req, res);
    } catch (error) {
      process.stderr.write(`${req.url} threw ${error.stack}\n`);
      res.destroy();
    }
  };
  const peerRoutes = calls.peerRoutesOf({ gym });
  const servePeer = (req, res) => {
    const { pathname, searchParams } = new URL(req.url, 'http://peer');
    req.resume();
    return peerRoutes[pathname](req, res, searchParams.get('id'));
  };

  const servers = {
    plain: http.createServer(serve),
    tls: https.createServer(tls, serve),
    http2: http2.createServer(gym.served(serve)),
    express: http.createServer(expressApp({ express, gym })),
    strict: strictServer({ http, gym, serve }),
    peer: http.createServer(servePeer),
    tlsPeer: https.createServer(tls, servePeer),
  };
  const ports = {};
  for (const [name, server] of Object.entries(servers)) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // On a busy machine telemetry may take longer to start than a connection is kept.
    server.keepAliveTimeout = 60_000;
    ports[name] = server.address().port;
  }
  const peers = { http: `http://127.0.0.1:${ports.peer}`, https: `https://127.0.0.1:${ports.tlsPeer}` };
  const clients = calls.clientsOf({ http, https, undici });
  Object.assign(routes, calls.callRoutesOf({ gym, note, clients, peers }));
  return { ports, noted };
};

/** A server that listens for all that node:http tells apart from a request. */
function strictServer({ http, gym, serve }) {
  const server = http.createServer(serve);
  server.on('checkContinue', (req, res) => {
    if (req.url === '/refused') {
      gym.own('refused');
      res.writeHead(413).end('too much');
      return;
    }
    res.writeContinue();
    serve(req, res);
  });
  server.on('checkExpectation', (_, res) => {
    gym.own('expectation');
    res.writeHead(417).end('no');
  });
  server.on('upgrade', (req, socket) => {
    gym.own('upgraded');
    socket.end(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n${req.url}`);
  });
  server.on('connect', (req, socket) => socket.end(`HTTP/1.1 200 Connected\r\n\r\n${req.url}`));
  server.on('clientError', (error, socket) => socket.end(`HTTP/1.1 400 Bad Request\r\n\r\n${error.code}`));
  return server;
}
