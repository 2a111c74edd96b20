import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { freshEnvironment, installLine, PACKAGE, printedInReadme, walk, withoutIds } from '../support/readme-walk.ts';
import { nodeOf, packedTarball } from './plan.ts';

/** What npm knew on this day is installed, so that a run does not depend on the day; raised on purpose. */
const BEFORE = '2026-12-01';
const LIMIT_MS = 40_000;

// Node 20 gets the 2.x line of OpenTelemetry, Node 24 the 3.x line: npm goes by their `engines`.
it.each(['20', '24'] as const)(
  'the README leads from an empty folder to its failure chain, with the tarball from npm’s own install, on Node %s',
  async (major) => {
    const folder = mkdtempSync(join(tmpdir(), `ng-readme-${major}-`));
    const env = {
      ...freshEnvironment(),
      PATH: `${dirname(nodeOf(major))}${delimiter}${process.env.PATH}`,
      npm_config_before: BEFORE,
      npm_config_prefer_offline: 'true',
    };
    try {
      const start = Date.now();
      const rewrite = (line: string) =>
        line.startsWith('npm install ') ? line.replace(PACKAGE, packedTarball()) : line;
      const walked = await walk({ folder, env, rewrite });
      const took = Date.now() - start;
      expect(withoutIds(walked.at(-1)?.stdout ?? '')).toBe(printedInReadme());
      const installed = walked.find(({ line }) => line === installLine().line);
      const warnings = installed?.stderr.split('\n').filter((line) => !line.startsWith('npm warn install-scripts'));
      expect(warnings).toEqual(['']);
      expect(took).toBeLessThan(LIMIT_MS);
      console.info(`Node ${major}: ${walked.map(({ line, ms }) => `${line.slice(0, 24)} ${ms} ms`).join(', ')}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  2 * LIMIT_MS,
);
