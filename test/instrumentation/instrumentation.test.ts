import { hasSubscribers } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { type DiagLogger, diag } from '@opentelemetry/api';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { describe, expect, it } from 'vitest';
import { NgFailureInstrumentation } from '../../src/instrumentation/instrumentation.ts';
import { FAILURES_CHANNEL } from '../../src/transport/announce.ts';
import { PACKAGE_NAME, PACKAGE_VERSION } from '../../src/version.ts';

const CHANNELS = [
  'http.server.request.start',
  'http.client.request.start',
  'http.client.response.finish',
  'undici:request:create',
  'undici:request:headers',
  FAILURES_CHANNEL.name,
];
const listening = (): boolean[] => CHANNELS.map((channel) => hasSubscribers(channel));
const all = CHANNELS.map(() => true);
const none = CHANNELS.map(() => false);

describe('NgFailureInstrumentation', () => {
  it('has the package’s own name and version', () => {
    const manifest: unknown = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(manifest).toMatchObject({ name: PACKAGE_NAME, version: PACKAGE_VERSION });
    const { instrumentationName, instrumentationVersion } = new NgFailureInstrumentation({ enabled: false });
    expect([instrumentationName, instrumentationVersion]).toEqual([PACKAGE_NAME, PACKAGE_VERSION]);
  });

  it('listens from its construction until it is disabled, however often each is called', () => {
    expect(listening()).toEqual(none);
    const instrumentation = new NgFailureInstrumentation();
    expect(listening()).toEqual(all);
    instrumentation.enable();
    instrumentation.disable();
    expect(listening()).toEqual(none);
    instrumentation.disable();
    instrumentation.enable();
    expect([listening(), instrumentation.isActive()]).toEqual([all, true]);
    instrumentation.disable();
    expect([listening(), instrumentation.isActive()]).toEqual([none, false]);
  });

  it('made with enabled: false listens to nothing, and acts on nothing when the SDK enables it', () => {
    const instrumentation = new NgFailureInstrumentation({ enabled: false });
    expect(listening()).toEqual(none);
    const unregister = registerInstrumentations({ instrumentations: [instrumentation] });
    expect(instrumentation.isActive()).toBe(false);
    instrumentation.setConfig({});
    expect(instrumentation.isActive()).toBe(true);
    unregister();
    expect(listening()).toEqual(none);
  });

  it('patches no module', () => {
    expect(new NgFailureInstrumentation({ enabled: false }).getModuleDefinitions()).toEqual([]);
  });

  it('fills in what the config leaves open, and says in one line what it cannot use', async () => {
    const lines: string[] = [];
    const warn = (line: string): void => void lines.push(line);
    const quiet = (): void => {};
    const logger: DiagLogger = { error: quiet, warn, info: quiet, debug: quiet, verbose: quiet };
    diag.setLogger(logger, { suppressOverrideMessage: true });
    const instrumentation = new NgFailureInstrumentation({ enabled: false, server: { maxHeaderBytes: 100_000 } });
    expect(instrumentation.settings).toMatchObject({ enabled: false, maxHeaderBytes: 4096, stackTraces: true });
    await Promise.resolve();
    expect(lines).toEqual([
      'opentelemetry-instrumentation-nemo-gym: maxHeaderBytes is 100000; give an integer 16–4096. 4096 is used',
    ]);
    instrumentation.setConfig({ server: { maxHeaderBytes: 2000 }, mirror: { stackTraces: false } });
    expect(instrumentation.settings).toMatchObject({ enabled: true, maxHeaderBytes: 2000, stackTraces: false });
    diag.disable();
  });

  it.each<[config: object, line: string, used: object]>([
    [{ enabled: 'false' }, 'enabled is "false"; give true or false. true is used', { enabled: true }],
    [{ mirror: { metrics: 'no' } }, 'mirror.metrics is "no"; give true or false. true is used', { metrics: true }],
    [
      { mirror: { stackTraces: 0 } },
      'mirror.stackTraces is 0; give true or false. true is used',
      { stackTraces: true },
    ],
    [
      { server: 5 },
      'server is 5; give an object with maxHeaderBytes, sendReportTo, ignoreRequest. It is ignored',
      { maxHeaderBytes: 4096 },
    ],
    [{ client: null }, 'client is null; give an object with acceptReportFrom, ignoreRequest. It is ignored', {}],
    [
      { sendReportTo: () => false },
      'the option sendReportTo is not known; did you mean server.sendReportTo? It is ignored',
      { replyPolicy: undefined },
    ],
    [{ mirrors: {} }, 'the option mirrors is not known; did you mean mirror? It is ignored', {}],
    [
      { mirror: { colour: 'red' } },
      'the option mirror.colour is not known; the options are signal, metrics, stackTraces, attributesFor. It is ignored',
      {},
    ],
  ])('names the slip in %o, and uses the default', async (config, line, used) => {
    const lines: string[] = [];
    const quiet = (): void => {};
    const logger = { error: quiet, warn: (said: string) => void lines.push(said), info: quiet, debug: quiet };
    // A JavaScript user can give anything.
    const instrumentation = new NgFailureInstrumentation({ enabled: false, ...config } as object);
    // As NodeSDK does, which is given instrumentations that are made already.
    diag.setLogger({ ...logger, verbose: quiet }, { suppressOverrideMessage: true });
    instrumentation.disable();
    await Promise.resolve();
    diag.disable();
    expect(lines).toEqual([`opentelemetry-instrumentation-nemo-gym: ${line}`]);
    expect(instrumentation.settings).toMatchObject(used);
  });
});
