import { PassThrough, Readable } from 'node:stream';
import Koa from 'koa';
import { afterEach, describe, expect, it } from 'vitest';
import { failureReports } from '../../src/frameworks/koa.ts';
import { observeFailure } from '../../src/transport/observe.ts';
import {
  describeContract,
  event,
  exchange,
  listen,
  pause,
  raisedDuring,
  reasons,
  type TestServer,
} from '../support/framework-contract.ts';

const open: TestServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function serve(app: Koa): Promise<TestServer> {
  const server = await listen(app.callback());
  open.push(server);
  return server;
}

function quietApp(): Koa {
  const app = new Koa();
  app.silent = true;
  return app;
}

async function readBody(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

function addContractRoutes(app: Koa): void {
  app.use(async (ctx, next) => {
    if (ctx.path === '/recovered') {
      observeFailure(event('attempt'));
      ctx.body = { fine: true };
      return;
    }
    if (ctx.path === '/event') throw event('own');
    if (ctx.path === '/caused') throw new Error('outer', { cause: event('own') });
    if (ctx.path === '/plain') throw new Error('plain');
    if (ctx.path === '/teapot')
      ctx.throw(418, 'short and stout', { cause: event('own'), headers: { 'X-Tea': 'oolong' } });
    if (ctx.path === '/body') {
      JSON.parse(await readBody(ctx.req));
      throw event('own');
    }
    const id = /^\/slow\/(\d+)$/.exec(ctx.path)?.[1];
    if (id === undefined) return next();
    await pause();
    observeFailure(event(`attempt ${id}`));
    await pause();
    throw event(`own ${id}`);
  });
}

describeContract('koa', {
  async start(withAdapter) {
    const app = quietApp();
    if (withAdapter) app.use(failureReports());
    addContractRoutes(app);
    return listen(app.callback());
  },
});

describe('koa', () => {
  it('names what an error handler of the app passes on to the app', async () => {
    const app = quietApp();
    app.use(failureReports());
    app.use(async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        ctx.status = 503;
        ctx.body = 'later';
        ctx.app.emit('error', error, ctx);
      }
    });
    app.use(() => {
      throw event('own');
    });
    const { port } = await serve(app);
    const got = await exchange(port, '/');
    expect([got.status, reasons(got.report)]).toEqual([503, ['own']]);
  });

  it('names what an error handler in front of it answers', async () => {
    const app = quietApp();
    app.use(async (ctx, next) => {
      await next().catch(() => {
        ctx.status = 503;
        ctx.body = 'later';
      });
    });
    app.use(failureReports());
    app.use(() => {
      throw event('own');
    });
    const { port } = await serve(app);
    const got = await exchange(port, '/');
    expect([got.status, reasons(got.report)]).toEqual([503, ['own']]);
  });

  it('leaves the listener that prints errors where it is, and the app’s own alone', async () => {
    const printed: unknown[] = [];
    const app = new Koa();
    app.onerror = (error) => printed.push(error.message);
    app.use(failureReports());
    app.use(failureReports());
    app.use(() => {
      throw event('own');
    });
    const { port } = await serve(app);
    const got = await exchange(port, '/');
    expect([printed, reasons(got.report)]).toEqual([['own'], ['own']]);
    const heard = app.listenerCount('error');
    await exchange(port, '/');
    expect(app.listenerCount('error')).toBe(heard);
  });

  it('announces a body stream that breaks off before the headers leave, where Koa drops the connection', async () => {
    const app = quietApp();
    app.use(failureReports());
    app.use((ctx) => {
      ctx.body = new Readable({
        read() {
          this.destroy(event('own'));
        },
      });
    });
    const { port } = await serve(app);
    const raised = await raisedDuring(async () => expect((await exchange(port, '/')).bytes).toBe(''));
    expect(raised).toEqual(['own']);
  });

  it('announces a body stream that breaks off half-way, and lets it break', async () => {
    const start = (withAdapter: boolean): Koa => {
      const app = quietApp();
      if (withAdapter) app.use(failureReports());
      app.use((ctx) => {
        const body = new PassThrough();
        ctx.body = body;
        body.write('half');
        setTimeout(() => body.destroy(event('own')), 20);
      });
      return app;
    };
    const bare = await exchange((await serve(start(false))).port, '/');
    const { port } = await serve(start(true));
    const raised = await raisedDuring(async () => {
      const got = await exchange(port, '/');
      expect(got.bytes).toBe(bare.bytes);
      expect(got.report).toBeUndefined();
    });
    expect(bare.bytes).toContain('half');
    expect(raised).toEqual(['own']);
  });

  it('adds the header to a reply that the app writes itself', async () => {
    const app = quietApp();
    app.use(failureReports());
    app.use((ctx) => {
      ctx.respond = false;
      observeFailure(event('attempt'));
      ctx.res.writeHead(201, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']);
      ctx.res.end('by hand');
    });
    const { port } = await serve(app);
    const got = await exchange(port, '/');
    expect(got.bytes).toMatch(/201 Created.*a=1.*b=2.*by hand/s);
    expect(reasons(got.report)).toEqual(['none', 'attempt']);
  });

  it('takes the last error: an error listener’s own is left to Koa', async () => {
    const app = quietApp();
    app.use(failureReports());
    app.use(async (_ctx, next) => {
      try {
        await next();
      } catch (error) {
        throw event('outer', error);
      }
    });
    app.use(() => {
      throw event('inner');
    });
    const { port } = await serve(app);
    expect(reasons((await exchange(port, '/')).report)).toEqual(['outer', 'inner']);
  });
});
