// Runs test/e2e with a real Jaeger, a real OpenTelemetry Collector and a real Chromium. It makes them ready (the first two
// built from Go modules by scripts/peers, kept in a cache folder; the browser found, or installed as root) and hands them
// to vitest. What cannot be had fails the tests that need it.
// Usage: node scripts/e2e.mjs [vitest's arguments]   for example: node scripts/e2e.mjs outages
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { command, ready } from './matrix-run.mjs';

const PEERS = fileURLToPath(new URL('peers/', import.meta.url));
const started = Date.now();
const peers = {};
// One after the other: each build uses all cores.
for (const name of ['chromium', 'collector', 'jaeger']) {
  peers[name] = await ready(async () => (await command(`${PEERS}get-${name}.sh`, [])).trim());
  if (peers[name].error !== undefined) console.error(`${name} is not there: ${peers[name].error}`);
}
console.error(`e2e: ready after ${Math.round((Date.now() - started) / 1000)} s`);

const vitest = spawn('npx', ['vitest', 'run', '--config', 'test/e2e/vitest.config.ts', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, E2E_PEERS: JSON.stringify(peers) },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => vitest.kill(signal));
vitest.on('exit', (code, signal) => {
  process.exitCode = signal === null ? code : 1;
});
