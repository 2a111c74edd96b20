import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';

const MAIN = path.resolve('examples/rollout/main.ts');
const temporary: string[] = [];

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'rollout-life-'));
  temporary.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of temporary.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function start(args: readonly string[], env: Record<string, string> = {}, main = MAIN): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', main, ...args], { env: { ...process.env, ...env } });
}

async function ended(child: ChildProcess) {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('no output');
  const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'exit')]);
  return { out, err, code };
}

function childrenOf(pid: number | undefined): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === pid).map(([child = 0]) => child);
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function untilGone(pids: readonly number[]): Promise<number[]> {
  for (let tries = 0; tries < 100 && pids.some(lives); tries += 1) await delay(100);
  return pids.filter(lives);
}

describe('the processes of a batch', () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGKILL', null],
  ] as const) {
    it(`are gone after ${signal}`, async () => {
      const main = start(['--out', temporaryFolder(), '--concurrency', '1']);
      let said = '';
      main.stdout?.on('data', (chunk) => {
        said += String(chunk);
      });
      // The collector runs once the first rollout is told of.
      while (!said.includes('1/') && main.exitCode === null) await delay(50);
      const children = childrenOf(main.pid);
      expect(children.length).toBeGreaterThanOrEqual(4);
      const exit = once(main, 'exit');
      main.kill(signal);
      expect((await exit)[0]).toBe(code);
      expect(await untilGone(children)).toEqual([]);
    });
  }
});

describe('npm start', () => {
  it('says what is missing without the built package', async () => {
    const clone = temporaryFolder();
    cpSync(path.dirname(MAIN), path.join(clone, 'examples/rollout'), { recursive: true });
    symlinkSync(path.resolve('node_modules'), path.join(clone, 'node_modules'));
    writeFileSync(path.join(clone, 'package.json'), readFileSync('package.json'));
    const { code, err } = await ended(start([], {}, path.join(clone, 'examples/rollout/main.ts')));
    expect(err).toContain('dist/index.js is missing: run "npm run build" first.');
    expect(code).toBe(1);
  });

  it('says which Node it needs', async () => {
    const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.14.0" } })';
    const { code, err } = await ended(
      spawn(process.execPath, ['--import', 'tsx', '--import', `data:text/javascript,${older}`, MAIN]),
    );
    expect(err).toBe('Node 22.14.0 is too old: use 20.20 or later, or 22.15 or later.\n');
    expect(code).toBe(1);
  });

  it('refuses an option that it does not know, and a number that is none', async () => {
    expect((await ended(start(['--rolouts', '3']))).err).toContain("Unknown option '--rolouts'");
    expect((await ended(start(['--rollouts', 'many']))).err).toContain('--rollouts is "many"');
  });

  it('says which process could not start, and why', async () => {
    const out = temporaryFolder();
    // A port that is taken already.
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, err } = await ended(start(['--out', out], { PORT: String(port) }));
    taken.close();
    expect(err).toContain('[model] Cannot listen');
    expect(err).toContain('Cannot start the model: it ended at once (exit code 1)');
    expect(code).toBe(1);
  });

  it('saves the same rows with telemetry off, and says that no trace has them', async () => {
    const out = temporaryFolder();
    mkdirSync(out, { recursive: true });
    const { code, out: said } = await ended(start(['--out', out], { OTEL_SDK_DISABLED: 'true' }));
    // Each row is checked against its story: header, stream and rows need no telemetry.
    expect(said).toContain('Each row is as its story tells');
    expect(said).not.toContain('Wrong');
    expect(said).toContain('missing in traces');
    expect(code).toBe(1);
  });

  it('sends its spans to OTEL_EXPORTER_OTLP_ENDPOINT, and looks for them in the Jaeger of JAEGER_URL', async () => {
    let exports = 0;
    const collector = createServer((request, response) => {
      if (request.url === '/v1/traces') exports += 1;
      request.resume().on('end', () => response.end('{}'));
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const address = collector.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const endpoint = `http://127.0.0.1:${port}`;
    // Nobody is there: the rows are saved and checked all the same, and the batch does not call that well.
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, JAEGER_URL: 'http://127.0.0.1:1' };
    const { code, out, err } = await ended(start(['--out', temporaryFolder(), '--rollouts', '4'], env));
    collector.close();
    expect(exports).toBeGreaterThanOrEqual(4);
    expect(out).toContain('Each row is as its story tells');
    expect(err).toContain('http://127.0.0.1:1');
    expect(code).toBe(1);
  });
});
