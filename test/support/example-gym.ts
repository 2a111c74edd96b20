import { type ExampleServer, startExample } from './example-program.ts';
import { type FailingServer, failingServer, type Way } from './failing-server.ts';
import { type Tap, tap } from './tap.ts';

/** Each server of the examples as `examples/README.md` starts it; the taps between them keep what passes. */
export interface ExampleGym extends AsyncDisposable {
  readonly provider: FailingServer;
  readonly model: ExampleServer;
  /** Between agent and model. */
  readonly policyTap: Tap;
  /** Between resources server and model. */
  readonly judgeTap: Tap;
  /** Between agent and resources server. */
  readonly resourcesTap: Tap;
  readonly agent: ExampleServer;
  /** Between the second relay and the first. */
  readonly relayTap: Tap;
  /** The first relay is its upstream. */
  readonly secondRelay: ExampleServer;
  readonly pool: ExampleServer;
  /** From here on the provider fails like that for each `model` that is named, and answers all others. */
  provide(ways: Readonly<Record<string, Way>>): void;
}

export async function startExampleGym(): Promise<ExampleGym> {
  const running: AsyncDisposable[] = [];
  const use = <T extends AsyncDisposable>(started: T): T => {
    running.push(started);
    return started;
  };
  const start = async (file: string, env: Record<string, string>) => use(await startExample(file, env));
  let ways: Readonly<Record<string, Way>> = {};
  let key = 0;
  const provider = use(await failingServer());
  const wayOf = (body: string): Way => ways[String(JSON.parse(body).model)] ?? 'fine';
  const failing = use(await tap((body) => `${provider.origin}/${wayOf(body)}/key-${key}`));
  const [model, pool, firstRelay] = await Promise.all([
    start('openai-model/model.ts', { PROVIDER_URL: failing.url }),
    start('worker-pool/pool.mjs', { WORKERS: '1', EPISODE_MS: '500' }),
    start('hono-relay/relay.ts', { UPSTREAM_URL: failing.url }),
  ]);
  const policyTap = use(await tap(() => model.url));
  const judgeTap = use(await tap(() => model.url));
  const relayTap = use(await tap(() => firstRelay.url));
  const [verifier, secondRelay] = await Promise.all([
    start('fastify-resources/resources.ts', { MODEL_URL: judgeTap.url }),
    start('hono-relay/relay.ts', { UPSTREAM_URL: relayTap.url }),
  ]);
  const resourcesTap = use(await tap(() => verifier.url));
  const agent = await start('express-agent/agent.ts', { MODEL_URL: policyTap.url, RESOURCES_URL: resourcesTap.url });
  return {
    ...{ provider, model, policyTap, judgeTap, resourcesTap, agent, relayTap, secondRelay, pool },
    provide(given) {
      key += 1;
      ways = given;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((one) => one[Symbol.asyncDispose]()));
    },
  };
}
