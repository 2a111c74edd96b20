import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedFolder, npm } from './make-ready.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What the process suite needs of a checkout, beside what is built and installed. */
const PARTS = ['src', 'test', 'examples', 'scripts', 'docs', 'package.json', 'tsconfig.json', 'vitest.config.ts'];
/** What is run of them, the tests read there. */
const DOCUMENTS = /\.md$/;
const OTEL = '@opentelemetry/';

/** A checkout to run the process suite in: the sources as they are, what was just built, a line of OpenTelemetry JS. */
export async function checkout(line, { folder, dist }) {
  const installed = line === 'otel2' ? join(ROOT, 'node_modules') : await otherLine(line);
  const place = join(folder, `checkout-${line}`);
  mkdirSync(place);
  const parts = [...PARTS, ...readdirSync(ROOT).filter((name) => DOCUMENTS.test(name))];
  for (const part of parts) cpSync(join(ROOT, part), join(place, part), { recursive: true });
  cpSync(dist, join(place, 'dist'), { recursive: true });
  symlinkSync(installed, join(place, 'node_modules'));
  return place;
}

/** The development dependencies as they are locked, but for those of OpenTelemetry. */
async function otherLine(line) {
  const own = readJson('package.json');
  const dependencies = onLine(line, own.dependencies);
  const manifest = { private: true, dependencies, devDependencies: onLine(line, own.devDependencies) };
  const text = JSON.stringify(manifest);
  const lock = readFileSync(join(ROOT, 'package-lock.json'));
  const hash = createHash('sha256').update(text).update(lock).digest('hex').slice(0, 16);
  const place = await cachedFolder(`checkout-${line}-${hash}`, async (work) => {
    writeFileSync(join(work, 'package.json'), text);
    writeFileSync(join(work, 'package-lock.json'), lock);
    await npm(['install'], work);
  });
  return join(place, 'node_modules');
}

/** Dependencies with each OpenTelemetry package in the version that test/matrix names for the line. */
function onLine(line, dependencies) {
  const versions = {
    ...readJson(`test/matrix/${line}/package.json`).dependencies,
    ...readJson(`test/matrix/${line}/checkout.json`).dependencies,
  };
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, version]) => {
      if (!name.startsWith(OTEL)) return [name, version];
      if (versions[name] === undefined) {
        throw new Error(`test/matrix/${line}/checkout.json names no version of ${name}: write down one of its line`);
      }
      return [name, versions[name]];
    }),
  );
}

function readJson(path) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}
