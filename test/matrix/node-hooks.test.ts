import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Platform } from './cells.ts';
import { nodeOf } from './plan.ts';

/** What a Node has of its own where the package puts something in front, or listens. */
interface NodeHooks {
  /** Each function's code as a hash. */
  readonly functions: Readonly<Record<string, string>>;
  /** The channels that fire for a served request and a fetch, with what they carry. */
  readonly channels: readonly string[];
}

const KNOWN: Readonly<Record<Platform['node'], NodeHooks>> = JSON.parse(
  readFileSync(new URL('node-hooks.json', import.meta.url), 'utf8'),
);
const PROGRAM = new URL('programs/node-hooks.mjs', import.meta.url).pathname;
const NODES = ['20', '22', '24', '26'] as const;
const FUNCTIONS = Object.keys(KNOWN[20].functions);

/** When one fails: read what Node changed, see that the package still stands right, then write the new hash down. */
describe('what Node has where the package stands in front of it', () => {
  for (const node of NODES) {
    let found: Promise<NodeHooks> | undefined;
    const hooks = async (): Promise<NodeHooks> => {
      found ??= promisify(execFile)(nodeOf(node), [PROGRAM]).then(({ stdout }) => JSON.parse(stdout));
      return await found;
    };

    for (const name of FUNCTIONS) {
      it(`Node ${node}: ${name} is the one that was read`, async () => {
        expect((await hooks()).functions[name]).toBe(KNOWN[node].functions[name]);
      });
    }

    it(`Node ${node}: no other function is overridden than those`, async () => {
      expect(Object.keys((await hooks()).functions)).toEqual(FUNCTIONS);
    });

    it(`Node ${node}: its channels fire in that order and carry what we read`, async () => {
      expect((await hooks()).channels).toEqual(KNOWN[node].channels);
    });
  }
});
