import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

async function soak(...args: string[]) {
  const child = spawn(process.execPath, ['scripts/soak.mjs', ...args], { stdio: 'pipe' });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { out, err, code };
}

describe('a soak', () => {
  it('of a few requests loses no id and leaves nothing behind', async () => {
    const { out, err, code } = await soak('--only', 'requests', '--requests', '3000');
    expect(out, err).toMatch(/\nsoak: ok\n$/);
    expect(out).toContain('| ids lost | 0 | 0 |');
    expect(code).toBe(0);
  });

  it('of a few faults loses no id whose reply was not cut, and leaves nothing behind', async () => {
    const { out, err, code } = await soak('--only', 'faults', '--requests', '500');
    expect(out, err).toMatch(/\nsoak: ok\n$/);
    expect(out).toContain('| ids lost | 0 | 0 |');
    expect(out).toMatch(/\n\| deaths of the next server \| [1-9]\d* \| [1-9]\d* \|\n/);
    expect(code).toBe(0);
  });

  it('refuses what it does not understand', async () => {
    expect((await soak('--only', 'request')).err).toBe(
      '--only is "request": give one of properties, requests, faults\n',
    );
    expect((await soak('--property-runs', 'many')).err).toContain('--property-runs is "many"');
    const { err, code } = await soak('--only', 'requests', '--requests', 'many');
    expect(err).toContain('--requests is "many"');
    expect(code).not.toBe(0);
  });
});
