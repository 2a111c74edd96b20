/**
 * Turns everything on without code: `node --import opentelemetry-instrumentation-nemo-gym/register app.js`, or
 * `--require` instead of `--import`; alone, or before or after whatever starts an OpenTelemetry SDK. The environment
 * variables that it reads are in docs/configuration.md.
 */
import { isMainThread } from 'node:worker_threads';
import { readEnvironment } from './instrumentation/environment.ts';
import { SdkWatch } from './instrumentation/sdk-watch.ts';
import { StandIn } from './instrumentation/stand-in.ts';
import { isTaken, standInWith } from './instrumentation/take-over.ts';
import { sharedState } from './records/shared-state.ts';
import { guarded } from './transport/guard.ts';
import { PACKAGE_NAME } from './version.ts';

// Named twice on a command line, or by two copies of the package, it still acts once.
const registration = sharedState('registration', () => ({ done: false }));

if (!registration.done) {
  registration.done = true;
  guarded('turning on from the command line', register);
}

function register(): void {
  const { enabled, propagator, config } = readEnvironment(process.env, warn);
  if (!enabled) return;
  let standIn: StandIn | undefined;
  // Before the stand-in: what is announced reaches the two in this order.
  new SdkWatch({ propagator, onMeterProvider: (provider) => standIn?.setMeterProvider(provider) }).enable();
  if (isTaken()) return;
  standIn = new StandIn(config);
  standInWith(standIn);
}

/**
 * No diagnostic logger is there yet when the process starts, so that a diagnostic line would be lost. Threads, such as
 * the one of a module loader, start with the same command line: once is enough.
 */
function warn(line: string): void {
  if (isMainThread) process.emitWarning(`${PACKAGE_NAME}: ${line}`, 'NemoGymWarning');
}
