/**
 * `npm start`: plays a batch of rollouts with real servers, makes failures happen at every boundary, and shows that the
 * saved rows and the traces tell the same. `npm start -- --help` lists the options.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HELP = `Options:
  --rollouts N      rollouts to play (default 50: every story twice)
  --healthy N       percent of them in which nothing fails, beside the stories (default 0)
  --concurrency N   rollouts at a time (default 8)
  --seed N          order of the stories (default 1)
  --out DIR         folder of the rows and traces (default out)
With OTEL_EXPORTER_OTLP_ENDPOINT set the spans go there instead of to DIR/traces.jsonl, and are looked for in the Jaeger
at JAEGER_URL (default http://localhost:16686).`;

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/** Why the batch cannot start here; `undefined` when it can. */
function obstacle(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fits = major === 20 ? minor >= 20 : major > 22 || (major === 22 && minor >= 15);
  if (!fits) return `Node ${process.versions.node} is too old: use 20.20 or later, or 22.15 or later.`;
  const missing = ['index.js', 'ng-failures.js'].find((file) => !existsSync(dist + file));
  if (missing !== undefined) return `dist/${missing} is missing: run "npm run build" first.`;
  return undefined;
}

function options() {
  const { values } = parseArgs({
    options: {
      rollouts: { type: 'string', default: '50' },
      healthy: { type: 'string', default: '0' },
      concurrency: { type: 'string', default: '8' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string', default: 'out' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    help: values.help,
    rollouts: wholeNumber('rollouts', values.rollouts, 1),
    healthy: wholeNumber('healthy', values.healthy, 0, 100),
    concurrency: wholeNumber('concurrency', values.concurrency, 1),
    seed: wholeNumber('seed', values.seed, 0),
    out: values.out,
  };
}

function wholeNumber(name: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const limit = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`;
  throw new Error(`--${name} is "${text}": give a whole number from ${least}${limit}`);
}

async function main(): Promise<number> {
  const { help, ...batch } = options();
  if (help) {
    console.log(HELP);
    return 0;
  }
  const problem = obstacle();
  if (problem !== undefined) throw new Error(problem);
  // Imported only now: it needs the built package.
  const { runBatch } = await import('./run.ts');
  return runBatch({
    ...batch,
    command: `${dist}ng-failures.js`,
    elsewhere: elsewhere(),
  });
}

function elsewhere() {
  const otlpEndpoint = process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!otlpEndpoint) return undefined;
  return { otlpEndpoint, jaegerUrl: process.env.JAEGER_URL || 'http://localhost:16686' };
}

// Leaving runs the fleet's last resort: no child outlives this process.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
