/**
 * Makes one model call for each way of failing, whole and streamed, with the client that the first argument names, and
 * prints what came of each: with `observed` in the presence of the package, with `plain` without it.
 */
import type { Way } from '../../../support/failing-server.ts';
import type { ModelClient } from './model-client.ts';

export interface Outcome {
  readonly name: string;
  /** What the client gave, also before it failed. */
  readonly parts: readonly unknown[];
  /** The error's chain, outermost first; empty when nothing was thrown. */
  readonly thrown: readonly object[];
  readonly events: readonly { failure_kind: string; http_status?: number }[];
  readonly operations: readonly { outcome: string; http_attempts?: number }[];
}

const [name = '', mode = '', origin = '', refused = ''] = process.argv.slice(2);
const { client }: { client: ModelClient } = await import(`./${name}.ts`);
const gym = mode === 'observed' ? await import('opentelemetry-instrumentation-nemo-gym') : undefined;
if (gym !== undefined) new gym.NgFailureInstrumentation();

const WHOLE: readonly (Way | 'refused')[] = [
  'fine',
  'refused',
  'reset',
  'cut',
  'rate',
  'quota',
  'late-quota',
  'broken',
  'flaky',
  'rejected',
  'silent',
  'garbage',
];
const STREAMED: readonly (Way | 'refused')[] = [...WHOLE, 'half-stream', 'error-event'];

async function outcomeOf(way: Way | 'refused', how: keyof ModelClient): Promise<Outcome> {
  const parts: unknown[] = [];
  const thrown: object[] = [];
  const key = `${way}-${how}`;
  const baseURL = way === 'refused' ? `${refused}/v1` : `${origin}/${way}/${key}/v1`;
  const play = async () => {
    try {
      const call = {
        baseURL,
        fetch: gym?.observedFetch ?? globalThis.fetch,
        take: (part: unknown) => parts.push(part),
      };
      await (gym === undefined ? client[how](call) : gym.modelOperation(() => client[how](call)));
    } catch (error) {
      thrown.push(...chainOf(error));
    }
  };
  if (gym === undefined) {
    await play();
    return { name: key, parts, thrown, events: [], operations: [] };
  }
  return gym.RequestFailureLog.capture(async (log) => {
    await play();
    const operations = [...log.modelOperations.values()];
    return { name: key, parts, thrown, events: [...log.report.events.values()], operations };
  });
}

function chainOf(error: unknown): object[] {
  const chain: object[] = [];
  for (let link = error; link instanceof Error && chain.length < 10; link = link.cause) {
    chain.push({
      className: link.constructor.name,
      name: link.name,
      message: link.message,
      keys: Object.keys(link).sort(),
      status: 'status' in link ? link.status : undefined,
      statusCode: 'statusCode' in link ? link.statusCode : undefined,
      code: 'code' in link ? link.code : undefined,
    });
  }
  return chain.length === 0 ? [{ value: String(error) }] : chain;
}

const calls = [
  ...WHOLE.map((way) => ({ way, how: 'whole' as const })),
  ...STREAMED.map((way) => ({ way, how: 'streamed' as const })),
];
// A time limit only counts once loading, compiling and all other calls no longer keep the process busy.
const others = calls.filter(({ way }) => way !== 'silent');
const outcomes = await Promise.all(others.map(({ way, how }) => outcomeOf(way, how)));
outcomes.push(...(await Promise.all([outcomeOf('silent', 'whole'), outcomeOf('silent', 'streamed')])));
process.stdout.write(JSON.stringify(outcomes));
process.exit(0);
