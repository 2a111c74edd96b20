import { readdirSync } from 'node:fs';
import type { Platform } from './cells.ts';

interface Exception {
  /** The platforms that the file is run on all the same. */
  readonly on: readonly `${Platform['node']} ${Platform['line']}`[];
  readonly why: string;
}

const DOCUMENTS: Exception = {
  on: ['24 otel3'],
  why: 'what is run for the documents other files try everywhere; Node 20 and one newer will do',
};

/**
 * Files of test/process that are not run on each platform. All others are. Node 20 with the 2.x line is no platform of
 * the matrix's: there `npm test` runs them all.
 */
const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  'documents.test.ts': DOCUMENTS,
  'documents-apps.test.ts': DOCUMENTS,
  'documents-examples.test.ts': DOCUMENTS,
  'documents-snippets.test.ts': { ...DOCUMENTS, on: ['24 otel2', '24 otel3', '26 otel3'] },
  'types.test.ts': { on: [], why: 'it is about TypeScript; what Node runs it is all one' },
  'soak.test.ts': {
    on: ['26 otel3'],
    why: 'it asks for lost ids and memory, at a fifth of the time of all others together; the newest of both will do',
  },
  'rollout-life.test.ts': {
    on: ['22 otel2', '24 otel2', '26 otel2'],
    why: 'signals, options and child processes are Node’s, so that one line for each Node will do; it waits for long',
  },
};

const FILES = readdirSync(new URL('../process/', import.meta.url)).filter((name) => name.endsWith('.test.ts'));

/** The files of the process suite that a platform is tried with, as paths in a checkout. */
export function processFiles({ node, line }: Platform): string[] {
  const gone = Object.keys(EXCEPTIONS).filter((name) => !FILES.includes(name));
  if (gone.length > 0)
    throw new Error(`test/process has no ${gone.join(', ')}: take it off test/matrix/process-files.ts`);
  const isRun = (name: string): boolean => EXCEPTIONS[name]?.on.includes(`${node} ${line}`) ?? true;
  return FILES.filter(isRun).map((name) => `test/process/${name}`);
}
