import { channel } from 'node:diagnostics_channel';
import {
  context,
  createContextKey,
  createNoopMeter,
  diag,
  type MeterProvider,
  metrics,
  propagation,
  ROOT_CONTEXT,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SdkWatch } from '../../src/instrumentation/sdk-watch.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';
import { requestStorage } from '../../src/transport/request-scope.ts';

const KEY = createContextKey('opentelemetry-instrumentation-nemo-gym request failure log');
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const headers = { traceparent: TRACEPARENT };

const providers: MeterProvider[] = [];
let watch: SdkWatch;
beforeEach(() => {
  providers.length = 0;
  watch = watching(true);
});
afterEach(() => {
  watch.disable();
  propagation.disable();
  metrics.disable();
});

function watching(propagator: boolean): SdkWatch {
  const made = new SdkWatch({ propagator, onMeterProvider: (provider) => providers.push(provider) });
  made.enable();
  return made;
}

const look = (): void => channel('http.server.request.start').publish({});

/** What the propagator that is registered gives a request with `headers`: its log, and the trace of its caller. */
function extracted(): { hasLog: boolean; traceId: string | undefined } {
  const log = new RequestFailureLog();
  return requestStorage.run({ log, request: { headers } }, () => {
    const where = propagation.extract(ROOT_CONTEXT, headers);
    return { hasLog: where.getValue(KEY) === log, traceId: trace.getSpanContext(where)?.traceId };
  });
}

const WITH_LOG = { hasLog: true, traceId: TRACEPARENT.slice(3, 35) };
const WITHOUT = { ...WITH_LOG, hasLog: false };

describe('the propagator that an SDK registers', () => {
  it('extracts the log as well, from the first request on, whenever it comes', () => {
    look();
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    expect(extracted()).toEqual(WITHOUT);
    look();
    expect(extracted()).toEqual(WITH_LOG);
    propagation.disable();
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    look();
    expect(extracted()).toEqual(WITH_LOG);
  });

  it('stays the one that is registered, with its own this and its own fields', () => {
    class Own implements TextMapPropagator {
      #key = KEY;
      inject(): void {}
      extract(): typeof ROOT_CONTEXT {
        return ROOT_CONTEXT.setValue(this.#key, 'mine');
      }
      fields(): string[] {
        return ['x-own'];
      }
    }
    const own = new Own();
    const other = new Own();
    propagation.setGlobalPropagator(own);
    look();
    expect(propagation.fields()).toEqual(['x-own']);
    expect(propagation.extract(ROOT_CONTEXT, {}).getValue(KEY)).toBe('mine');
    expect(extracted().hasLog).toBe(true);
    expect(Object.hasOwn(other, 'extract')).toBe(false);
  });

  it('is joined once, however many watch', () => {
    const second = watching(true);
    const propagator = new W3CTraceContextPropagator();
    propagation.setGlobalPropagator(propagator);
    look();
    const { extract } = propagator;
    look();
    second.disable();
    expect(propagator.extract).toBe(extract);
    expect(extracted()).toEqual(WITH_LOG);
  });

  it('stays as it is when that is asked for', () => {
    watch.disable();
    watch = watching(false);
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    look();
    expect(extracted()).toEqual(WITHOUT);
  });

  it('stays as it is when it cannot be changed, which is one diagnostic line', () => {
    const error = vi.fn();
    diag.setLogger({ error, warn() {}, info() {}, debug() {}, verbose() {} }, { suppressOverrideMessage: true });
    propagation.setGlobalPropagator(Object.freeze(new W3CTraceContextPropagator()));
    look();
    look();
    expect(extracted()).toEqual(WITHOUT);
    expect(error).toHaveBeenCalledTimes(1);
    expect(String(error.mock.calls[0])).toContain('meeting the OpenTelemetry SDK failed');
    diag.disable();
  });

  it('that throws or gives nothing does so as without us', () => {
    const fault = new Error('mine');
    const extract = vi.fn<TextMapPropagator['extract']>(() => {
      throw fault;
    });
    propagation.setGlobalPropagator({ inject() {}, extract, fields: () => [] });
    look();
    expect(() => propagation.extract(context.active(), headers)).toThrow(fault);
    extract.mockReturnValue(ROOT_CONTEXT);
    expect(propagation.extract(ROOT_CONTEXT, headers)).toBe(ROOT_CONTEXT);
  });
});

describe('the meter provider that an SDK registers', () => {
  const provider = (): MeterProvider => ({ getMeter: () => createNoopMeter() });

  it('is told when it comes, and when another one comes, once each', () => {
    look();
    expect(providers).toEqual([]);
    const [first, second] = [provider(), provider()];
    metrics.setGlobalMeterProvider(first);
    look();
    look();
    metrics.disable();
    metrics.setGlobalMeterProvider(second);
    look();
    expect(providers).toHaveLength(2);
    expect(providers[0]).toBe(first);
    expect(providers[1]).toBe(second);
  });

  it('that was there before is not told', () => {
    watch.disable();
    metrics.setGlobalMeterProvider(provider());
    watch = watching(true);
    look();
    expect(providers).toEqual([]);
  });

  it('is met before a failure of a process that serves nothing is counted', () => {
    const first = provider();
    metrics.setGlobalMeterProvider(first);
    channel('opentelemetry-instrumentation-nemo-gym:failures').publish({});
    expect(providers).toEqual([first]);
  });
});
