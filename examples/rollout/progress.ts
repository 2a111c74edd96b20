import { SingleBar } from 'cli-progress';

export interface Progress {
  /** One more rollout is done. */
  step(what: string): void;
  stop(): void;
}

/** A bar on a terminal, plain lines elsewhere. */
export function startProgress(total: number): Progress {
  if (!process.stdout.isTTY) return lines(total);
  const bar = new SingleBar({
    format: 'rollouts {bar} {value}/{total} {what}',
    hideCursor: true,
    stream: process.stdout,
  });
  bar.start(total, 0, { what: '' });
  return {
    step: (what) => bar.increment(1, { what }),
    stop() {
      bar.update({ what: '' });
      bar.stop();
    },
  };
}

function lines(total: number): Progress {
  let done = 0;
  return {
    step(what) {
      done += 1;
      console.log(`${String(done).padStart(String(total).length)}/${total} ${what}`);
    },
    stop() {},
  };
}
