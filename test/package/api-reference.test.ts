import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

const run = promisify(execFile);
const options = JSON.parse(readFileSync('typedoc.json', 'utf8'));

/** What a framework brings itself: an adapter only names what it needs of it. */
const THEIRS = /^(?:frameworks\/\w+\.(?:FastifyInstanceLike|HonoContext|KoaContext)|index\.Served(?:Reply|Request))\./;

it('tells of each public name, and links to what is there', async () => {
  // Ends with an error where a name has no comment, a link leads nowhere, or an exception is none any more.
  const { stdout, stderr } = await run('npx', ['typedoc', '--emit', 'none', '--logLevel', 'Warn']);
  expect(stdout + stderr).toBe('');
});

it('reads each door of the package, and leaves out only what frameworks bring', () => {
  const doors = Object.keys(packageJson.exports).filter((door) => !/register|package\.json/.test(door));
  expect(options.entryPoints).toHaveLength(doors.length);
  const { intentionallyNotDocumented: exceptions } = options;
  expect(exceptions.filter((name: string) => !THEIRS.test(name))).toEqual([]);
});
