import 'reflect-metadata';
import {
  type ArgumentsHost,
  type CallHandler,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  ForbiddenException,
  Get,
  HttpException,
  type INestApplication,
  Module,
  type NestInterceptor,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { BaseExceptionFilter, HttpAdapterHost, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { tap } from 'rxjs';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { failureReports as expressReports } from '../../src/frameworks/express.ts';
import { failureReports as fastifyReports } from '../../src/frameworks/fastify.ts';
import { NgFailureInstrumentation } from '../../src/instrumentation/instrumentation.ts';
import { failRequest, observeFailure } from '../../src/transport/observe.ts';
import { type Exchange, event, exchange, pause, reasons } from '../support/framework-contract.ts';

// The two recipes of docs/frameworks.md. Decorators are applied by hand: the test's compiler knows none.
class FailureReports implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(tap({ error: failRequest }));
  }
}

class FailureFilter extends BaseExceptionFilter {
  override catch(error: unknown, host: ArgumentsHost): void {
    failRequest(error);
    super.catch(error, host);
  }
}
Catch()(FailureFilter);

class TeapotFilter implements ExceptionFilter {
  catch(error: Error, host: ArgumentsHost): void {
    const reply: unknown = host.switchToHttp().getResponse();
    // Express and Fastify both have these two.
    (reply as { status(code: number): { send(body: string): void } }).status(418).send(`tea: ${error.message}`);
  }
}
Catch()(TeapotFilter);

class Rollouts {
  recovered(): object {
    observeFailure(event('attempt'));
    return { fine: true };
  }
  sync(): never {
    throw event('own');
  }
  async later(): Promise<never> {
    await pause();
    throw event('own');
  }
  http(): never {
    throw new HttpException('full', 507, { cause: event('own') });
  }
  plain(): never {
    throw new Error('plain');
  }
  filtered(): never {
    throw event('own');
  }
  guarded(): object {
    return {};
  }
}
for (const name of ['recovered', 'sync', 'later', 'http', 'plain', 'filtered', 'guarded'] as const) {
  decorate(Get(name), name);
}
decorate(UseFilters(new TeapotFilter()), 'filtered');
const guard = {
  canActivate(): boolean {
    throw new ForbiddenException('no', { cause: event('own') });
  },
};
decorate(UseGuards(guard), 'guarded');
Controller()(Rollouts);

function decorate(decorator: MethodDecorator, name: keyof Rollouts): void {
  const descriptor = Object.getOwnPropertyDescriptor(Rollouts.prototype, name);
  if (descriptor !== undefined) decorator(Rollouts.prototype, name, descriptor);
}

class App {}
Module({ controllers: [Rollouts] })(App);

const PLATFORMS = [
  ['platform-express', () => new ExpressAdapter()],
  ['platform-fastify', () => new FastifyAdapter()],
] as const;

const closing: (() => unknown)[] = [];
beforeAll(() => {
  // BaseExceptionFilter prints through the logger, and that through stderr.
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(
  adapter: ExpressAdapter | FastifyAdapter,
  prepare: (app: INestApplication) => unknown = () => {},
): Promise<number> {
  const app = await NestFactory.create(App, adapter, { logger: false, forceCloseConnections: true });
  await prepare(app);
  await app.listen(0, '127.0.0.1');
  closing.push(() => app.close());
  return Number(new URL(await app.getUrl()).port);
}

function addRecipes(app: INestApplication): void {
  app.useGlobalInterceptors(new FailureReports());
  app.useGlobalFilters(new FailureFilter(app.get(HttpAdapterHost).httpAdapter));
}

const CASES: readonly [route: string, status: number, expected: string[]][] = [
  ['recovered', 200, ['none', 'attempt']],
  ['sync', 500, ['own']],
  ['later', 500, ['own']],
  ['http', 507, ['own']],
  ['plain', 500, []],
  ['filtered', 418, ['own']],
  ['guarded', 403, ['own']],
];

describe.each(PLATFORMS)('nest on %s, with the recipes of the documentation', (name, makeAdapter) => {
  it.each(CASES)('/%s answers %i as before and carries %j', async (route, status, expected) => {
    const bare = await exchange(await serve(makeAdapter()), `/${route}`);
    const instrumentation = new NgFailureInstrumentation();
    closing.push(() => instrumentation.disable());
    const got = await exchange(await serve(makeAdapter(), addRecipes), `/${route}`);
    expect(got.bytes).toBe(bare.bytes);
    expect([got.status, reasons(got.report)]).toEqual([status, expected]);
  });

  it('works without the instrumentation, on the adapter of the platform', async () => {
    const replies: Exchange[] = [];
    const port = await serve(makeAdapter(), async (app) => {
      addRecipes(app);
      if (name === 'platform-express') app.use(expressReports());
      else await app.getHttpAdapter().getInstance().register(fastifyReports);
    });
    for (const [route] of CASES) replies.push(await exchange(port, `/${route}`));
    expect(replies.map(({ report }) => reasons(report))).toEqual(CASES.map(([, , expected]) => expected));
  });
});
