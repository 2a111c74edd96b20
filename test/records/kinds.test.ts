import { afterEach, describe, expect, it } from 'vitest';
import {
  FAILURE_KINDS,
  FailureReport,
  isNamespaced,
  isRegistered,
  NgFailureEvent,
  registerFailureKinds,
  UNREGISTERED_KIND_PREFIX,
  validateFailureKind,
} from '../../src/index.ts';

const warnings: Error[] = [];
const keep = (warning: Error): number => warnings.push(warning);

describe('kinds', () => {
  it('registers the 22 of Gym', () => {
    expect(FAILURE_KINDS).toHaveLength(22);
    expect(new Set(FAILURE_KINDS).size).toBe(22);
    expect(Object.isFrozen(FAILURE_KINDS)).toBe(true);
    for (const kind of FAILURE_KINDS) expect(isRegistered(kind)).toBe(true);
    for (const kind of ['gpu_on_fire', 'constructor', '', 'a:b']) expect(isRegistered(kind)).toBe(false);
    expect(UNREGISTERED_KIND_PREFIX).toBe('unregistered:');
  });

  it.each<[string, boolean]>([
    ['a:b', true],
    ['browser_env:page_crashed2', true],
    ['a', false],
    ['a:', false],
    [':b', false],
    ['a:b:c', false],
    ['A:b', false],
    ['a:b\n', false],
    ['\na:b', false],
    ['1a:b', false],
    ['é:b', false],
  ])('knows whether %j is namespaced', (kind, namespaced) => {
    expect(isNamespaced(kind)).toBe(namespaced);
  });

  it('registers further ones for this process', () => {
    expect(() => registerFailureKinds('disk_full', 'Not A Kind')).toThrow(/"Not A Kind".*\[a-z\]\[a-z0-9_\]\*/);
    expect(isRegistered('disk_full')).toBe(false);
    registerFailureKinds('disk_full', ['fan_stuck']);
    expect(isRegistered('disk_full') && isRegistered('fan_stuck')).toBe(true);
    const event = new NgFailureEvent({ boundary: 'harness', failureKind: 'disk_full', failureReason: 'x' });
    expect(
      FailureReport.parse({ events: { [event.eventId]: event.toRecord() } }).events.get(event.eventId)?.failure_kind,
    ).toBe('disk_full');
  });
});

describe('validateFailureKind', () => {
  afterEach(() => {
    process.off('warning', keep);
    warnings.length = 0;
  });

  it('gives back its argument and warns once for each unknown name', async () => {
    process.on('warning', keep);
    for (const kind of ['odd_kind', 'odd_kind', 'odder_kind', 'judge_failed', 'a:b']) {
      expect(validateFailureKind(kind)).toBe(kind);
    }
    await new Promise((resolve) => setImmediate(resolve));
    const told = warnings.map(({ name, message }) => `${name} ${message}`);
    expect(told).toHaveLength(2);
    expect(told[0]).toMatch(
      /^NgFailureWarning Unknown failure kind "odd_kind".*registerFailureKinds\(\).*<server>:<kind>/,
    );
    expect(told[1]).toContain('"odder_kind"');
  });

  it('names the kind that was probably meant', () => {
    const make = (failureKind: string) => () =>
      new NgFailureEvent({ boundary: 'agent', failureKind, failureReason: 'x' });
    expect(make('agent_run_eror')).toThrow(
      /^Unknown failure kind "agent_run_eror": did you mean agent_run_error\? Else/,
    );
    expect(make('agent_error')).toThrow(/did you mean agent_run_error\?/);
    expect(make('disk_on_fire')).toThrow(/^Unknown failure kind "disk_on_fire": register it with/);
  });

  it('bears what is no text', async () => {
    process.on('warning', keep);
    const odd = Object.create(null);
    expect(validateFailureKind(odd)).toBe(odd);
    expect(validateFailureKind(undefined)).toBeUndefined();
  });
});
