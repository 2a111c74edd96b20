// The plain server's other routes: what reports hold, connections, late bodies, streams. `gym` is the package, or nothing.
const { once } = require('node:events');
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
  const afterAbort = Promise.withResolvers?.() ?? resolvers();

  return {
    '/quiet': (_, res) => res.end('fine'),
    '/attempt': async (_, res) => {
      gym.attempt('attempt');
      await delay(1);
      res.end('fine');
    },
    '/chain': async (_, res) => {
      gym.attempt('chain-attempt');
      await delay(1);
      gym.own('chain', 'chain-cause', 'chain-root');
      res.writeHead(502).end('no');
    },
    '/accents': (_, res) => {
      gym.own('accents');
      res.end('é');
    },
    '/too-long': (_, res) => {
      gym.attempt('too-long-attempt');
      gym.own('too-long', 'too-long-cause');
      res.end('body');
    },
    '/apps': (_, res) => {
      gym.attempt('apps-attempt');
      res.setHeader(NAME, APPS);
      res.end('body');
    },
    '/kept/1': (_, res) => {
      gym.own('kept');
      res.on('close', () => setImmediate(() => note('kept', gym.reportNow())));
      res.end('one');
    },
    '/kept/2': (_, res) => res.end('two'),
    '/kept/3': (_, res) => {
      gym.attempt('kept-attempt');
      res.end('three');
    },
    '/pipelined/1': async (_, res) => {
      await delay(15);
      gym.own('pipelined-1');
      res.end('one');
    },
    '/pipelined/2': async (_, res) => {
      gym.own('pipelined-2');
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
        gym.own('late-data');
        res.end(`${size} bytes`);
      });
    },
    '/late-iterated': async (req, res) => {
      const body = await bodyOf(req);
      gym.own('late-iterated');
      res.end(body);
    },
    '/late-once': async (req, res) => {
      req.resume();
      await once(req, 'end');
      await delay(1);
      gym.own('late-once');
      res.end('body');
    },
    '/continued': async (req, res) => {
      const body = await bodyOf(req);
      gym.own('continued');
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
        gym.own('aborted');
        note('aborted', gym.reportNow());
        setImmediate(() => afterAbort.resolve(seen));
      });
    },
    '/aborted/after': async (_, res) => res.end((await afterAbort.promise).join('\n')),
    '/streamed': async (_, res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      res.write('data: {"type":"response.output_text.delta","delta":"one"}\n\n');
      await delay(2);
      gym.own('streamed');
      res.end(`data: ${JSON.stringify({ type: 'response.failed', nemo_gym_failure_report: gym.reportNow() })}\n\n`);
    },
    '/first': (_, res) => res.end('before'),
    '/second': (_, res) => {
      gym.own('second');
      res.end('after');
    },
    '/ng-rollout/r1/v1/responses': (_, res) => {
      gym.own('rollout');
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
