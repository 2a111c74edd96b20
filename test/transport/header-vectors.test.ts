import { describe, expect, it } from 'vitest';
import { FailureReport } from '../../src/records/failure-report.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import type { HeadersLike } from '../../src/transport/headers-like.ts';
import { canonical } from '../support/canonical.ts';
import { headerDecodeCases, headerEncodeCases } from '../vectors/load.ts';

/** Every form in which people hold the same headers. */
function forms(headers: Record<string, string>): [name: string, headers: HeadersLike][] {
  const pairs = Object.entries(headers);
  const nodeStyle = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), [value]]));
  const all: [string, HeadersLike][] = [
    ['a plain object', headers],
    ['a Map', new Map(pairs)],
    ['pairs', pairs],
    ['Node’s object with arrays', nodeStyle],
    ['an object without prototype', Object.assign(Object.create(null), headers)],
  ];
  // A Headers refuses what no HTTP message could carry.
  if (pairs.every(([, value]) => /^[\x20-\x7e]*$/.test(value))) all.push(['a Headers', new Headers(pairs)]);
  return all;
}

describe('header-decode.json', () => {
  for (const { name, headers, report } of headerDecodeCases) {
    describe(name, () => {
      it.each(forms(headers))('as %s', (_form, given) => {
        const decoded = FailureHeader.decode(given);
        expect(canonical(decoded ?? null)).toBe(canonical(report));
      });
    });
  }
});

describe('header-encode.json', () => {
  for (const { name, report, headers, stream_value: streamValue } of headerEncodeCases) {
    it(name, () => {
      const parsed = FailureReport.parse(report);
      const encoded = FailureHeader.encode(parsed);
      expect(Object.keys(encoded)).toEqual(Object.keys(headers));
      for (const [key, value] of Object.entries(encoded)) {
        expect(canonical(JSON.parse(value))).toBe(canonical(JSON.parse(headers[key] ?? '')));
        expect(Buffer.byteLength(value)).toBe(Buffer.byteLength(headers[key] ?? ''));
        expect(value).toMatch(/^[\x20-\x7e]+$/);
      }
      expect(canonical(FailureHeader.streamValue(parsed) ?? null)).toBe(canonical(streamValue));
    });
  }
});
