/** What the processes of a soak ask of each other, over the channel that `fork` opens. */
import type { ChildProcess } from 'node:child_process';

interface Question {
  readonly id: number;
  readonly name: string;
  readonly given: unknown;
}

interface Answer {
  readonly id: number;
  readonly answer?: unknown;
  readonly fault?: string;
}

/** Answers the parent's questions. A child whose parent is gone ends. */
export function answer(functions: Readonly<Record<string, (given: unknown) => unknown>>): void {
  process.on('disconnect', () => process.exit(1));
  process.on('message', async ({ id, name, given }: Question) => {
    try {
      process.send?.({ id, answer: await functions[name]?.(given) });
    } catch (error) {
      process.send?.({ id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
}

let asked = 0;

/** Asks a child something. What it answers is of the type that its own program says. */
export function ask<T>(child: ChildProcess, name: string, given?: unknown): Promise<T> {
  asked += 1;
  const id = asked;
  return new Promise((resolve, reject) => {
    const over = (): void => {
      child.off('message', onMessage);
      child.off('exit', onExit);
    };
    const onMessage = (message: Answer): void => {
      if (message.id !== id) return;
      over();
      if (message.fault === undefined) resolve(message.answer as T);
      else reject(new Error(message.fault));
    };
    const onExit = (): void => {
      over();
      reject(new Error(`the process ended before it answered "${name}"`));
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.send({ id, name, given } satisfies Question);
  });
}

/** Whether a reply has to say, may say or must not say that evidence was omitted. */
export type Verdict = 'must' | 'may' | 'never';

/** What an app says its reply has to report: told in the body, apart from what is tested. */
export interface Told {
  readonly raised: readonly string[];
  readonly omitted: Verdict;
}

/** How a nested call's reply tells the same: a list of ids, and the verdict. */
export const IDS_HEADER = 'x-soak-ids';
export const OMITTED_HEADER = 'x-soak-omitted';
