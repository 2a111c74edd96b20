// Runs test/e2e with a real Jaeger, a real OpenTelemetry Collector and a real Chromium. It makes them ready (the first two
// built from Go modules by scripts/peers, kept in a cache folder; the browser found, or installed as root) and hands them
// to vitest. What cannot be had fails the tests that need it.
// Usage: node scripts/e2e.mjs [vitest's arguments]   for example: node scripts/e2e.mjs outages
import { fileURLToPath } from 'node:url';
import { command, ready } from './make-ready.mjs';
import { runVitest, tellMissing } from './run-vitest.mjs';

const PEERS = fileURLToPath(new URL('peers/', import.meta.url));
const started = Date.now();
const peers = {};
// One after the other: each build uses all cores.
for (const name of ['chromium', 'collector', 'jaeger']) {
  peers[name] = await ready(async () => (await command(`${PEERS}get-${name}.sh`, [])).trim());
}
tellMissing(peers);
console.error(`e2e: ready after ${Math.round((Date.now() - started) / 1000)} s`);

await runVitest('e2e', 'E2E_PEERS', peers);
