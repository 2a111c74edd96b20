// Looks at a packed tarball as its users' tools do: publint at how it is put together, attw at what types each way of
// resolving finds. Usage: node scripts/package-checks.mjs TARBALL. It prints what they find, and ends with 1 then.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * `node16`: TypeScript's `node10` knows no `exports`, and would need a file at the root for each sub-path; whoever
 * compiles for a Node that we support has another one. `cjs-resolves-to-esm` is so on purpose: each supported Node
 * requires ES modules (20.19 and 22.12 on), and test/matrix requires every sub-path on each of them. All other rules are
 * asked for CommonJS too.
 */
const ATTW = ['--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm', '--format', 'ascii', '--no-color'];

/** What publint says of a tarball, suggestions included: a line each. */
export async function publintProblems(tarball) {
  const packed = readFileSync(tarball);
  const tar = packed.buffer.slice(packed.byteOffset, packed.byteOffset + packed.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball: tar }, strict: true });
  return messages.map((message) => `publint, ${message.type}: ${formatMessage(message, pkg, { color: false })}`);
}

/** What attw says of a tarball: nothing, or its table. */
export async function attwProblems(tarball) {
  const attw = join(ROOT, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js');
  try {
    await run(process.execPath, [attw, tarball, ...ATTW], { maxBuffer: 1 << 24 });
    return [];
  } catch (error) {
    return [`attw: ${String(error.stdout || error.message).trim()}`];
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [tarball] = process.argv.slice(2);
  const problems = [...(await publintProblems(tarball)), ...(await attwProblems(tarball))];
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
