// Runs test/peers: servers and clients in Python that keep the wire contract on their own, beside ours. It makes their
// virtual environment ready (every version pinned in test/peers/python/requirements*.txt, kept in a cache folder) and
// hands it to vitest. What cannot be had fails the tests that need it. PYTHON names another program than `python3.11`,
// PEERS_NODE another Node than this one, by its major version, for the tests and for the servers and clients of ours.
// Usage: node scripts/peers-python.mjs [vitest's arguments]
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedFolder, command, ready } from './make-ready.mjs';
import { nodeBinary } from './matrix-nodes.mjs';
import { runVitest, tellMissing } from './run-vitest.mjs';

const REQUIREMENTS = fileURLToPath(new URL('../test/peers/python/', import.meta.url));
/** Older lines of aiohttp, each in a folder that comes before the environment's own. */
const OLDER = ['3.9', '3.11'];

async function pythonProgram() {
  const tried = process.env.PYTHON ? [process.env.PYTHON] : ['python3.11', 'python3'];
  for (const name of tried) {
    const version = await command(name, ['-c', 'import sys; print(sys.version_info >= (3, 11))']).catch(() => '');
    if (version.trim() === 'True') return name;
  }
  throw new Error(`no Python 3.11 or later: tried ${tried.join(', ')}; set PYTHON to one`);
}

async function installed(name, python, install) {
  const file = join(REQUIREMENTS, `${name}.txt`);
  const version = await command(python, ['--version']);
  const hash = createHash('sha256').update(version).update(readFileSync(file)).digest('hex').slice(0, 16);
  return cachedFolder(`python-${name}-${hash}`, (work) =>
    install(work, ['-q', '--disable-pip-version-check', '-r', file]),
  );
}

async function environment() {
  const python = await pythonProgram();
  // Debian has both apart from Python itself.
  await command(python, ['-c', 'import ensurepip, venv']);
  const place = await installed('requirements', python, async (work, what) => {
    await command(python, ['-m', 'venv', work]);
    await command(join(work, 'bin/python'), ['-m', 'pip', 'install', ...what]);
  });
  return join(place, 'bin/python');
}

const started = Date.now();
const python = await ready(environment);
const aiohttp = {};
for (const line of OLDER) {
  aiohttp[line] = await ready(async () => {
    if (python.error !== undefined) throw new Error(python.error);
    return installed(`requirements-aiohttp-${line}`, python.path, (work, what) =>
      command(python.path, ['-m', 'pip', 'install', '--target', work, ...what]),
    );
  });
}
const node = process.env.PEERS_NODE ? await nodeBinary(process.env.PEERS_NODE) : process.execPath;
tellMissing({ python, ...aiohttp });
console.error(`peers: ready after ${Math.round((Date.now() - started) / 1000)} s`);

await runVitest('peers', 'PYTHON_PEERS', { python, aiohttp }, node);
