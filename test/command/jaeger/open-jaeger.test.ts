import { describe, expect, it } from 'vitest';
import { readArguments, UsageError } from '../../../src/command/arguments.ts';
import { JAEGER_OPTIONS } from '../../../src/command/jaeger/jaeger-options.ts';
import { openJaeger } from '../../../src/command/jaeger/open-jaeger.ts';

const NOW = Date.parse('2026-05-04T12:00:00Z');
const ADDRESS = 'http://localhost:16686';

const open = (...args: readonly string[]) => openJaeger(readArguments(args, JAEGER_OPTIONS), [ADDRESS], NOW);

/** The time that is read, without what is nought at its end. */
function times(...args: readonly string[]): readonly string[] {
  const { start, end } = open(...args);
  return [start, end].map((time) => new Date(time / 1000).toISOString().replace(/:00\.000Z$/, ''));
}

describe('the time that is read', () => {
  it.each<[readonly string[], string, string]>([
    [[], '2026-05-03T12:00', '2026-05-04T13:00'],
    [['--since', '90m'], '2026-05-04T10:30', '2026-05-04T13:00'],
    [['--since', '7d'], '2026-04-27T12:00', '2026-05-04T13:00'],
    [['--since', '1.5h'], '2026-05-04T10:30', '2026-05-04T13:00'],
    [['--since', '3600s'], '2026-05-04T11:00', '2026-05-04T13:00'],
    [['--since', '2026-05-01T10:00Z', '--until', '2026-05-02T10:00:00+02:00'], '2026-05-01T10:00', '2026-05-02T08:00'],
    [['--since', '2026-05-01'], '2026-05-01T00:00', '2026-05-04T13:00'],
    [['--until', '2d'], '2026-05-01T12:00', '2026-05-02T12:00'],
    [['--until', '2026-06-01'], '2026-05-03T12:00', '2026-06-01T00:00'],
    [['--since', '9d', '--since', '1h'], '2026-05-04T11:00', '2026-05-04T13:00'],
  ])('by %j is from %s to %s', (args, start, end) => {
    expect(times(...args)).toEqual([start, end]);
  });

  it.each(['yesterday', '24', '24 h', 'h', '1w', '-1h', '04.05.2026', '2026-13-01', '2026-05', '1e3h', '\u001b[2J'])(
    'is not "%s"; the error names the option and good ones',
    (text) => {
      for (const option of ['since', 'until']) {
        expect(() => open(`--${option}=${text}`)).toThrow(UsageError);
        expect(() => open(`--${option}=${text}`)).toThrow(
          /^--(since|until) is "[ -~]+"; give a time such as 2026-05-04, .*7d$/,
        );
      }
    },
  );

  it('does not end before it begins', () => {
    const message = '--since must be before --until: 2026-05-04T11:00:00.000Z is not before 2026-05-03T12:00:00.000Z';
    expect(() => open('--since', '1h', '--until', '1d')).toThrow(message);
    expect(() => open('--since', '1h', '--until', '1h')).toThrow('--since must be before --until');
  });
});

describe('the time-out', () => {
  it.each(['0', '-1', '3601', 'soon', 'Infinity', '10s', '0x'])('is not "%s"', (text) => {
    expect(() => open(`--timeout=${text}`)).toThrow(`--timeout is "${text}"; give seconds, up to 3600`);
  });

  it.each(['0.5', '1', '3600'])('may be %s', (text) => {
    expect(open('--timeout', text).apis).toHaveLength(1);
  });
});

it.each(['since', 'until', 'service', 'timeout'])('--%s without a Jaeger is an error that says so', (name) => {
  const args = readArguments([`--${name}=1`], JAEGER_OPTIONS);
  expect(() => openJaeger(args, [])).toThrow(`--${name} is about Jaeger; name it with --jaeger URL`);
});

it('has each address, and the services only where they are named', () => {
  const { apis, services } = openJaeger(readArguments([], JAEGER_OPTIONS), [ADDRESS, 'http://host/jaeger/']);
  expect(apis.map(({ base }) => base)).toEqual([ADDRESS, 'http://host/jaeger']);
  expect(services).toBeUndefined();
  expect(open('--service', 'agent', '--service', 'model').services).toEqual(['agent', 'model']);
});
