// Runs test/matrix on Node 20, 22, 24 and 26 with the 2.x and the 3.x line of OpenTelemetry JS: suites of its own, and the
// process suite (test/matrix/process-suite.ts). It makes ready what that needs (the Nodes and the OpenTelemetry packages
// from npm, kept in a cache folder; this package packed and installed beside them, as a user would; checkouts of it; the
// TypeScript compilers) and hands it to vitest. What cannot be had fails the tests that need it.
// Usage: node scripts/matrix.mjs [vitest's arguments]   for example: node scripts/matrix.mjs node24-otel3
import { rmSync } from 'node:fs';
import { prepareFixtures } from './matrix-fixtures.mjs';
import { prepareNodes } from './matrix-nodes.mjs';
import { prepareTypescripts } from './matrix-typescripts.mjs';
import { runVitest, tellMissing } from './run-vitest.mjs';

const started = Date.now();
const [nodes, fixtures, typescripts] = await Promise.all([prepareNodes(), prepareFixtures(), prepareTypescripts()]);
const { projects, checkouts, tarball } = fixtures;
const plan = { nodes, fixtures: projects, checkouts, tarballs: { tarball }, typescripts };
for (const group of Object.values(plan)) tellMissing(group);
console.error(`matrix: ready after ${Math.round((Date.now() - started) / 1000)} s`);

await runVitest('matrix', 'MATRIX_PLAN', plan);
rmSync(fixtures.folder, { recursive: true, force: true });
