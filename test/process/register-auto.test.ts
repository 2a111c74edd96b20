import { describe, expect, it } from 'vitest';
import { checkReplies, checkTraced, checkUntraced } from '../support/register-checks.ts';
import { play } from '../support/register-run.ts';

describe.each(['auto first', 'auto second'] as const)('auto-instrumentations-node: %s', (beside) => {
  it.each([
    ['plain.mjs', '--import'],
    ['plain.cjs', '--require'],
    ['plain.cjs', '--import'],
    ['express.mjs', '--import'],
    ['express.cjs', '--require'],
  ] as const)('%s by %s: traced as ever, and each failure on its span', async (app, by) => {
    const run = await play({ app, by, beside });
    checkReplies(run, 'context');
    checkTraced(run);
    expect(run.stderr).toBe('');
  });

  it('log records go to the logger that its SDK brings', async () => {
    const env = { OTEL_LOGS_EXPORTER: 'otlp', OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN: 'logs/dup' };
    const run = await play({ app: 'plain.cjs', by: '--require', beside, env });
    checkTraced(run);
    const ids = run.logs.map((attributes) => attributes['nemo.gym.failure.event_id']);
    expect(new Set(ids)).toEqual(new Set(['in-data', 'cause', 'own', 'above']));
  });

  it('without OTEL_NEMO_GYM_PROPAGATOR_DISABLED the log is in the context; with it, where it is without an SDK', async () => {
    const env = { OTEL_NEMO_GYM_PROPAGATOR_DISABLED: 'true' };
    const run = await play({ app: 'plain.cjs', by: '--require', beside, env });
    checkReplies(run, 'storage');
    checkTraced(run);
  });

  it('with the SDK disabled the replies are the same', async () => {
    const run = await play({ app: 'plain.cjs', by: '--require', beside, env: { OTEL_SDK_DISABLED: 'true' } });
    checkReplies(run, 'storage');
    checkUntraced(run);
  });
});
