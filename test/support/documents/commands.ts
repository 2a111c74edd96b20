/** What runs a command line in place of test/process/documents.test.ts. */
export interface Elsewhere {
  /** A test, or what CI runs. */
  readonly in: string;
  /** Words of that file that do. */
  readonly as: string;
}

/** Run by test/process/documents.test.ts, as they stand but for addresses. */
const RUN_AS_THEY_STAND: readonly RegExp[] = [
  /^(npx )?ng-failures\b/,
  /^node dist\/ng-failures\.js/,
  /^node --import (@opentelemetry\/auto-instrumentations-node|opentelemetry-instrumentation-nemo-gym)\/register /,
  /^node scripts\/foreign-suites\.mjs /,
  /^node --max-http-header-size=\d+$/,
  /^curl -si -X POST /,
  /^OTEL_LOG_LEVEL=debug node --import \.\/telemetry\.mjs app\.js$/,
  /^npm (init|pkg set type=module|version --no-git-tag-version X\.Y\.Z|ls opentelemetry-instrumentation-nemo-gym)$/,
];
export const isRunHere = (command: string): boolean => RUN_AS_THEY_STAND.some((form) => form.test(command));

const ci = (as: string): Elsewhere => ({ in: '.ci/run', as });
const soak = (as: string): Elsewhere => ({ in: 'test/process/soak.test.ts', as });
const bench = (as: string): Elsewhere => ({ in: 'test/bench/report.test.ts', as });
const PACK = { in: 'test/package/packed.ts', as: "['pack', source," };
const RECORD = { in: 'test/package/release-check.test.ts', as: 'scripts/public-api.mjs' };
const RELEASE = { in: 'test/package/release-check.test.ts', as: 'scripts/release-check.mjs' };
const DRY_RUN = { in: 'scripts/release-check.mjs', as: "['publish', tarball, '--dry-run'" };
const PEERS = 'test/e2e/support/peers.ts';
/** No engine runs containers where the tests do: the file is checked, and the programs it starts are started. */
const COMPOSE = { in: 'test/e2e/configurations.test.ts', as: "describe('docker-compose.yml'" };

/** Those that something else runs. */
export const ELSEWHERE: Readonly<Record<string, Elsewhere>> = {
  'npm install': ci('npm ci'),
  'npm install && npm start': ci('npm start'),
  'npm install && npm test': ci('npm test'),
  'npm install && npm pack': PACK,
  'npm pack': PACK,
  'npm start': ci('npm start'),
  'npm start -- --rollouts 100 --concurrency 4 --seed 7 --out out': {
    in: 'test/e2e/outages.test.ts',
    as: "['--rollouts', '100', '--concurrency', '4']",
  },
  'npm test': ci('npm test'),
  'npm run lint': ci('npm run --silent lint'),
  'npm run typecheck': ci('npm run --silent typecheck'),
  'npm run build': { in: 'package.json', as: '"pretest": "npm run --silent build"' },
  'npm run test:matrix': ci('npm run --silent test:matrix'),
  'npm run test:matrix -- node24-otel3': { in: 'test/matrix/node24-otel3.test.ts', as: "node: '24'" },
  'npm run test:peers': ci('npm run --silent test:peers'),
  'PEERS_NODE=24 npm run test:peers': ci('PEERS_NODE=24 npm run --silent test:peers'),
  'npm run test:e2e': ci('npm run --silent test:e2e'),
  'npm run docs:api': { in: 'test/package/api-reference.test.ts', as: "'typedoc'" },
  'npm run api:record': RECORD,
  'npm run release:check': RELEASE,
  'npm publish --dry-run': DRY_RUN,
  'npm publish': DRY_RUN,
  'npm run test:soak': soak("soak('--only'"),
  'npm run test:soak -- --only requests --requests 5000': soak("soak('--only', 'requests', '--requests', '3000')"),
  'npm run test:soak -- --only faults --requests 5000': soak("soak('--only', 'faults', '--requests', '500')"),
  'npm run test:soak -- --only properties --property-runs 20000': soak("soak('--property-runs'"),
  'npm run bench': ci('npm run --silent bench'),
  'npm run bench -- --guard': ci('npm run --silent bench -- --guard'),
  'npm run bench -- command': bench("bench('--guard', '--out', file, 'codec')"),
  'npm run bench -- server codec': bench("bench('--guard', '--out', file, 'codec')"),
  'npm run bench -- --out out/bench-20.json': bench("'--out', file"),
  'npm run bench -- --out out/bench-24.json': bench("'--out', file"),
  'node scripts/bench.mjs --markdown out/bench-20.json out/bench-24.json': bench("bench('--markdown', file)"),
  'node test/matrix/programs/node-hooks.mjs': { in: 'test/matrix/node-hooks.test.ts', as: 'programs/node-hooks.mjs' },
  'npx vitest run --project unit test/transport': { in: 'vitest.config.ts', as: "name: 'unit'" },
  'npx vitest run --project process': { in: 'vitest.config.ts', as: "name: 'process'" },
  'npm install --save-dev typescript @types/node': { in: 'test/matrix/ts-project.ts', as: 'node_modules/@types/node' },
  'docker compose up': COMPOSE,
  'ROLLOUTS=500 docker compose up': COMPOSE,
  'docker compose up jaeger collector': COMPOSE,
  'docker compose -f node_modules/opentelemetry-instrumentation-nemo-gym/docker-compose.yml up jaeger collector':
    COMPOSE,
  'jaeger --config examples/jaeger/jaeger.yaml': { in: PEERS, as: "config = 'examples/jaeger/jaeger.yaml'" },
  'otelcol-contrib --config otel-collector.yaml': { in: PEERS, as: "'--config', 'otel-collector.yaml'" },
  'OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 npm start': {
    in: 'test/e2e/support/batch.ts',
    as: 'OTEL_EXPORTER_OTLP_ENDPOINT:',
  },
  'COLLECTOR_OTLP_GRPC=0.0.0.0:4317 JAEGER_OTLP=jaeger:4317 otelcol-contrib --config otel-collector.yaml': {
    in: PEERS,
    as: 'COLLECTOR_OTLP_GRPC:',
  },
};

/** No commands to type: what npm answers, and the beginnings of commands. */
export const NO_COMMANDS: readonly string[] = [
  'npm error 404 … opentelemetry-instrumentation-nemo-gym',
  "npm warn EBADENGINE … required: { node: '^20.20.0 \\|\\| >=22.15.0' }",
  'curl -si',
  'curl -sN … \\| grep nemo_gym_failure_report',
];

/** Blocks that draw something, by the document and words of theirs. */
export const DRAWINGS: readonly (readonly [document: string, words: string])[] = [
  ['ARCHITECTURE.md', ' roof   src/index.ts'],
  ['ARCHITECTURE.md', 'handler throws NgFailureEvent'],
  ['README.md', '◀───────────┐'],
  ['docs/concepts.md', 'provider      does not answer'],
  // What Jaeger's page shows; test/e2e/rollouts.test.ts looks for the same spans in a real one.
  ['docs/jaeger.md', 'collector  rollout 20'],
  ['examples/README.md', 'each a process of its own'],
];
