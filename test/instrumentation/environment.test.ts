import { describe, expect, it } from 'vitest';
import { type RegisterSettings, readEnvironment } from '../../src/instrumentation/environment.ts';

function read(env: Record<string, string>): { settings: RegisterSettings; lines: string[] } {
  const lines: string[] = [];
  const settings = readEnvironment(env, (line) => lines.push(line));
  return { settings, lines };
}

const DEFAULTS: RegisterSettings = {
  enabled: true,
  propagator: true,
  config: { mirror: { stackTraces: true, metrics: true } },
};

describe('the environment of /register', () => {
  it.each([
    [{}, DEFAULTS],
    [{ OTEL_NEMO_GYM_DISABLED: 'false', OTEL_NEMO_GYM_MAX_HEADER_BYTES: '' }, DEFAULTS],
    [{ OTEL_NEMO_GYM_DISABLED: 'true' }, { ...DEFAULTS, enabled: false }],
    [{ OTEL_NEMO_GYM_DISABLED: ' TRUE ' }, { ...DEFAULTS, enabled: false }],
    [{ OTEL_NODE_DISABLED_INSTRUMENTATIONS: 'fs, nemo-gym' }, { ...DEFAULTS, enabled: false }],
    [{ OTEL_NODE_DISABLED_INSTRUMENTATIONS: 'fs,nemo' }, DEFAULTS],
    [{ OTEL_NODE_ENABLED_INSTRUMENTATIONS: 'http' }, DEFAULTS],
    [{ OTEL_SDK_DISABLED: 'true' }, DEFAULTS],
    [{ OTEL_NEMO_GYM_PROPAGATOR_DISABLED: 'true' }, { ...DEFAULTS, propagator: false }],
    [
      { OTEL_NEMO_GYM_STACK_TRACES_DISABLED: 'true', OTEL_NEMO_GYM_METRICS_DISABLED: 'true' },
      { ...DEFAULTS, config: { mirror: { stackTraces: false, metrics: false } } },
    ],
    [
      { OTEL_NEMO_GYM_MAX_HEADER_BYTES: ' 1024 ' },
      { ...DEFAULTS, config: { ...DEFAULTS.config, server: { maxHeaderBytes: 1024 } } },
    ],
  ])('%j', (env, expected) => {
    expect(read(env)).toEqual({ settings: expected, lines: [] });
  });

  it.each([
    ['OTEL_NEMO_GYM_DISABLED', 'yes', 'is "yes"; give true or false. false is used'],
    ['OTEL_NEMO_GYM_STACK_TRACES_DISABLED', '1', 'is "1"; give true or false. false is used'],
    ...['15', '4097', '1e3', '-1', '4 KiB'].map((value) => [
      'OTEL_NEMO_GYM_MAX_HEADER_BYTES',
      value,
      `is "${value}"; give an integer 16–4096. 4096 is used`,
    ]),
  ])('%s=%s is one line with the value and the remedy, and the default counts', (name = '', value = '', line = '') => {
    expect(read({ [name]: value })).toEqual({ settings: DEFAULTS, lines: [`${name} ${line}`] });
  });

  it('a variable that is not known is one line with the names of those that are', () => {
    const { settings, lines } = read({ OTEL_NEMO_GYM_MAX_HEADER_BYTE: '1024' });
    expect(settings).toEqual(DEFAULTS);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^OTEL_NEMO_GYM_MAX_HEADER_BYTE is not known; .*OTEL_NEMO_GYM_MAX_HEADER_BYTES,/);
  });
});
