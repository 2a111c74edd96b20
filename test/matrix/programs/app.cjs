// The plain server's routes: a reply leaves in each way that node:http knows. `gym` is the package, or nothing.
const { once } = require('node:events');
const { Readable } = require('node:stream');
const { setTimeout: delay } = require('node:timers/promises');

const NAME = 'X-NG-Failure-Report';
/** What the app itself sets in every cell, with the package and without it. */
const APPS = JSON.stringify({
  failure_id: 'apps',
  events: { apps: { event_id: 'apps', boundary: 'model', failure_kind: 'judge_failed', failure_reason: 'its own' } },
});

async function bodyOf(request) {
  let body = '';
  request.setEncoding('utf8');
  for await (const part of request) body += part;
  return body;
}

module.exports = function routesOf({ gym, note }) {
  const failed = (name, ...causes) => gym.own(name, ...causes);
  const afterAbort = Promise.withResolvers?.() ?? resolvers();

  return {
    '/end': (_, res) => {
      failed('end');
      res.end('body');
    },
    '/end-accents': (_, res) => {
      failed('end-accents');
      res.end('bodé');
    },
    '/buffer': (_, res) => {
      failed('buffer');
      res.end(Buffer.from('body'));
    },
    '/write': (_, res) => {
      failed('write');
      res.write('one');
      res.end('two');
    },
    '/flush': (_, res) => {
      failed('flush');
      res.flushHeaders();
      setTimeout(() => res.end('late'), 2);
    },
    '/pipe': (_, res) => {
      failed('pipe');
      Readable.from(['a', 'b', 'c']).pipe(res);
    },
    '/message': (_, res) => {
      failed('message');
      res.writeHead(404, 'Gone Fishing', { 'X-App': 'yes' }).end('no');
    },
    '/object': (_, res) => {
      failed('object');
      res.writeHead(500, { 'X-App': 'yes', 'Set-Cookie': ['a=1', 'b=2'] }).end('no');
    },
    '/array': (_, res) => {
      failed('array');
      res.writeHead(500, ['X-App', 'yes', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']).end('no');
    },
    '/pairs': (_, res) => {
      failed('pairs');
      const pairs = [
        ['X-App', 'yes'],
        ['Set-Cookie', 'a=1'],
        ['Set-Cookie', 'b=2'],
      ];
      res.writeHead(500, pairs).end('no');
    },
    // nodejs/node#50387: on Node 20 a header set before loses the second cookie of an array, and pairs throw.
    '/array-after-set': (_, res) => {
      failed('array-after-set');
      res.setHeader('X-App', 'yes');
      res.writeHead(500, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']).end('no');
    },
    '/pairs-after-set': (_, res) => {
      failed('pairs-after-set');
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
      failed('no-content');
      res.writeHead(204).end();
    },
    '/not-modified': (_, res) => {
      failed('not-modified');
      res.writeHead(304, { ETag: '"1"' }).end();
    },
    '/hints': (_, res) => {
      failed('hints');
      res.writeEarlyHints({ link: '</a.css>; rel=preload' }, () => res.end('body'));
    },
    '/informed': (_, res) => {
      failed('informed');
      res.writeContinue();
      res.writeProcessing();
      res.setHeader('X-App', 'yes');
      res.end('body');
    },
    // Since Node 24.
    '/information': (_, res) => {
      failed('information');
      res.writeInformation?.(104, { 'X-Progress': '1' });
      res.writeHead(200, { 'X-App': 'yes' }).end('body');
    },
    '/head': (_, res) => {
      failed('head');
      res.writeHead(200, { 'Content-Length': '4' }).end('body');
    },
    '/trailers': (_, res) => {
      failed('trailers');
      res.writeHead(200, { Trailer: 'X-Sum' });
      res.write('body');
      res.addTrailers({ 'X-Sum': '4' });
      res.end();
    },
    '/twice': (_, res) => {
      failed('twice');
      res.writeHead(200, { 'Content-Type': 'text/plain' });
      try {
        res.writeHead(500);
      } catch (error) {
        res.end(`${error.code}: ${error.message}`);
      }
    },
    '/quiet': (_, res) => res.end('fine'),
    '/attempt': async (_, res) => {
      gym.attempt('attempt');
      await delay(1);
      res.end('fine');
    },
    '/chain': async (_, res) => {
      gym.attempt('chain-attempt');
      await delay(1);
      failed('chain', 'chain-cause', 'chain-root');
      res.writeHead(502).end('no');
    },
    '/accents': (_, res) => {
      failed('accents');
      res.end('é');
    },
    '/too-long': (_, res) => {
      gym.attempt('too-long-attempt');
      failed('too-long', 'too-long-cause');
      res.end('body');
    },
    '/apps': (_, res) => {
      gym.attempt('apps-attempt');
      res.setHeader(NAME, APPS);
      res.end('body');
    },
    '/kept/1': (_, res) => {
      failed('kept');
      res.end('one');
    },
    '/kept/2': (_, res) => res.end('two'),
    '/kept/3': (_, res) => {
      gym.attempt('kept-attempt');
      res.end('three');
    },
    '/pipelined/1': async (_, res) => {
      await delay(15);
      failed('pipelined-1');
      res.end('one');
    },
    '/pipelined/2': async (_, res) => {
      failed('pipelined-2');
      await delay(1);
      res.end('two');
    },
    '/pipelined/3': async (_, res) => {
      await delay(5);
      res.end('three');
    },
    '/late-data': (req, res) => {
      let size = 0;
      req.on('data', (chunk) => {
        size += chunk.length;
        gym.attempt('late-data-attempt');
      });
      req.on('end', () => {
        failed('late-data');
        res.end(`${size} bytes`);
      });
    },
    '/late-iterated': async (req, res) => {
      const body = await bodyOf(req);
      failed('late-iterated');
      res.end(body);
    },
    '/late-once': async (req, res) => {
      req.resume();
      await once(req, 'end');
      await delay(1);
      failed('late-once');
      res.end('body');
    },
    '/continued': async (req, res) => {
      const body = await bodyOf(req);
      failed('continued');
      res.end(body);
    },
    '/aborted': (req, res) => {
      const seen = [];
      for (const [of, emitter] of Object.entries({ req, res })) {
        for (const event of ['aborted', 'end', 'error', 'finish', 'close']) {
          emitter.on(event, (error) => seen.push(`${of} ${event}${error?.code === undefined ? '' : ` ${error.code}`}`));
        }
      }
      gym.attempt('aborted-attempt');
      res.write('first');
      res.on('close', () => {
        failed('aborted');
        note('aborted', gym.reportNow());
        setImmediate(() => afterAbort.resolve(seen));
      });
    },
    '/aborted/after': async (_, res) => res.end((await afterAbort.promise).join('\n')),
    '/streamed': async (_, res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      res.write('data: {"type":"response.output_text.delta","delta":"one"}\n\n');
      await delay(2);
      failed('streamed');
      res.end(`data: ${JSON.stringify({ type: 'response.failed', nemo_gym_failure_report: gym.reportNow() })}\n\n`);
    },
    '/first': (_, res) => res.end('before'),
    '/second': (_, res) => {
      failed('second');
      res.end('after');
    },
    '/ng-rollout/r1/v1/responses': (_, res) => {
      failed('rollout');
      res.end('body');
    },
  };
};

/** Promise.withResolvers, which Node 20 does not have. */
function resolvers() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}
