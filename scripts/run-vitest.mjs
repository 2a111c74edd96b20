import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';

/** Says on stderr what of `things` (`{ path }` or `{ error }` by name) is not there: the tests that need it fail. */
export function tellMissing(things) {
  for (const [name, { error }] of Object.entries(things)) {
    if (error !== undefined) console.error(`${name} is not there: ${error}`);
  }
}

/**
 * Runs vitest with a suite's own configuration and this script's arguments, and what was made ready in the environment
 * variable `variable`, by the Node `node`. The exit code becomes this process's. Resolves when vitest has ended, so that its caller can
 * clean up.
 */
export async function runVitest(suite, variable, plan, node = process.execPath) {
  const args = ['vitest', 'run', '--config', `test/${suite}/vitest.config.ts`, ...process.argv.slice(2)];
  const path = `${dirname(node)}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH: path, [variable]: JSON.stringify(plan) };
  const vitest = spawn('npx', args, { stdio: 'inherit', env });
  // An interrupt reaches vitest too; this process stays until it has ended.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => vitest.kill(signal));
  process.exitCode = await new Promise((resolve) => {
    vitest.on('exit', (code, signal) => resolve(signal === null ? code : 1));
  });
}
