// Routes by which a reply leaves in each way that node:http knows.
const { Readable } = require('node:stream');

module.exports = function waysOutOf({ gym }) {
  return {
    '/end': (_, res) => {
      gym.own('end');
      res.end('body');
    },
    '/end-accents': (_, res) => {
      gym.own('end-accents');
      res.end('bodé');
    },
    '/buffer': (_, res) => {
      gym.own('buffer');
      res.end(Buffer.from('body'));
    },
    '/write': (_, res) => {
      gym.own('write');
      res.write('one');
      res.end('two');
    },
    '/flush': (_, res) => {
      gym.own('flush');
      res.flushHeaders();
      setTimeout(() => res.end('late'), 2);
    },
    '/pipe': (_, res) => {
      gym.own('pipe');
      Readable.from(['a', 'b', 'c']).pipe(res);
    },
    '/message': (_, res) => {
      gym.own('message');
      res.writeHead(404, 'Gone Fishing', { 'X-App': 'yes' }).end('no');
    },
    '/object': (_, res) => {
      gym.own('object');
      res.writeHead(500, { 'X-App': 'yes', 'Set-Cookie': ['a=1', 'b=2'] }).end('no');
    },
    '/array': (_, res) => {
      gym.own('array');
      res.writeHead(500, ['X-App', 'yes', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']).end('no');
    },
    '/pairs': (_, res) => {
      gym.own('pairs');
      const pairs = [
        ['X-App', 'yes'],
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
      ];
      res.writeHead(500, pairs).end('no');
    },
    // nodejs/node#50387: on Node 20 a header set before loses the first cookie of an array; pairs throw on every Node.
    '/array-after-set': (_, res) => {
      gym.own('array-after-set');
      res.setHeader('X-App', 'yes');
      res.writeHead(500, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']).end('no');
    },
    '/pairs-after-set': (_, res) => {
      gym.own('pairs-after-set');
      res.setHeader('X-App', 'yes');
      const pairs = [
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
      ];
      try {
        res.writeHead(500, pairs).end('no');
      } catch (error) {
        res.writeHead(503).end(`${error.code}: ${error.message}`);
      }
    },
    '/no-content': (_, res) => {
      gym.own('no-content');
      res.writeHead(204).end();
    },
    '/not-modified': (_, res) => {
      gym.own('not-modified');
      res.writeHead(304, { ETag: '"1"' }).end();
    },
    '/hints': (_, res) => {
      gym.own('hints');
      res.writeEarlyHints({ link: '</a.css>; rel=preload' }, () => res.end('body'));
    },
    '/informed': (_, res) => {
      gym.own('informed');
      res.writeContinue();
      res.writeProcessing();
      res.setHeader('X-App', 'yes');
      res.end('body');
    },
    // Since Node 24.
    '/information': (_, res) => {
      gym.own('information');
      res.writeInformation?.(104, { 'X-Progress': '1' });
      res.writeHead(200, { 'X-App': 'yes' }).end('body');
    },
    '/head': (_, res) => {
      gym.own('head');
      res.writeHead(200, { 'Content-Length': '4' }).end('body');
    },
    '/trailers': (_, res) => {
      gym.own('trailers');
      res.writeHead(200, { Trailer: 'X-Sum' });
      res.write('body');
      res.addTrailers({ 'X-Sum': '4' });
      res.end();
    },
    '/twice': (_, res) => {
      gym.own('twice');
      res.writeHead(200, { 'Content-Type': 'text/plain' });
      try {
        res.writeHead(500);
      } catch (error) {
        res.end(`${error.code}: ${error.message}`);
      }
    },
  };
};
