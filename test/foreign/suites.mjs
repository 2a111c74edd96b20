// The foreign suites, in the order in which they run: where each lies in a folder of checkouts, and its own command for
// its tests, with a reporter that can be read.
// `$OUT` stands for the file that the reporter writes.
const mocha = (...args) => ['mocha', '--reporter', 'json', '--reporter-option', 'output=$OUT', ...args];
const LOADER = '--experimental-loader=@opentelemetry/instrumentation/hook.mjs';

/**
 * `repository` names the checkout's folder, `folder` the package's in it. Each of `runs` has a `format` (see results.mjs)
 * and a `command`, whose first word is a program of the checkout's `node_modules/.bin`; `nodeFlags` go to Node before it.
 */
export const SUITES = [
  {
    repository: 'opentelemetry-js',
    folder: 'experimental/packages/opentelemetry-instrumentation-http',
    runs: [
      { name: 'cjs', format: 'mocha', command: mocha('test/**/*.test.ts') },
      { name: 'esm', format: 'mocha', nodeFlags: [LOADER], command: mocha('test/**/*.test.mjs') },
      { name: 'both', format: 'mocha', nodeFlags: [LOADER], command: mocha('test/integrations/double-instr.test.cjs') },
    ],
  },
  {
    repository: 'opentelemetry-js-contrib',
    folder: 'packages/instrumentation-undici',
    runs: [{ name: 'test', format: 'mocha', command: mocha('test/**/*.test.ts') }],
  },
  {
    repository: 'express',
    folder: '.',
    runs: [
      {
        name: 'test',
        format: 'mocha',
        command: mocha('--require', 'test/support/env', '--check-leaks', 'test/', 'test/acceptance/'),
      },
    ],
  },
  {
    repository: 'koa',
    folder: '.',
    runs: [
      {
        name: 'test',
        format: 'node',
        nodeFlags: ['--test', '--test-reporter', '$REPORTER', '--test-reporter-destination', '$OUT'],
        command: [],
      },
    ],
  },
  {
    repository: 'fastify',
    folder: '.',
    runs: [{ name: 'unit', format: 'node', command: ['borp', '--reporter', '$RELATIVE_REPORTER:$OUT'] }],
  },
  {
    repository: 'node-server',
    folder: '.',
    runs: [
      { name: 'test', format: 'vitest', command: ['vitest', '--run', '--reporter', 'json', '--outputFile', '$OUT'] },
    ],
  },
  {
    repository: 'hono',
    folder: '.',
    runs: [
      {
        name: 'node',
        format: 'vitest',
        command: [
          ...['vitest', '--run', '--project', 'node', '--coverage.enabled=false'],
          ...['--reporter', 'json', '--outputFile', '$OUT'],
        ],
      },
    ],
  },
];
