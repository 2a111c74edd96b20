import { describe, expect, it } from 'vitest';
import { HEADERS_VARIABLE, jaegerAddress } from '../../../src/command/jaeger/address.ts';
import { traceUrl } from '../../../src/command/jaeger/links.ts';

describe('an address', () => {
  it.each([
    ['http://localhost:16686', 'http://localhost:16686'],
    ['http://localhost:16686/', 'http://localhost:16686'],
    ['https://host/jaeger//', 'https://host/jaeger'],
    ['HTTP://Host:80/a/b/?x=1#y', 'http://host/a/b'],
    ['http://[::1]:16686', 'http://[::1]:16686'],
  ])('%s is asked at %s', (text, base) => {
    expect(jaegerAddress(text)).toEqual({ base, headers: {} });
  });

  it('gives user and password as basic auth and keeps them out of the address', () => {
    const { base, headers } = jaegerAddress('https://us%40er:p%3Aä@host/jaeger');
    expect(base).toBe('https://host/jaeger');
    const [scheme, text = ''] = (headers.authorization ?? '').split(' ');
    expect([scheme, Buffer.from(text, 'base64').toString()]).toEqual(['Basic', 'us@er:p:ä']);
  });

  it.each(['localhost:16686', 'jaeger', '', 'ftp://host', 'http://', '/work', 'http://[::1'])(
    'is not "%s", and the error names a good one',
    (text) => {
      expect(() => jaegerAddress(text)).toThrow(
        `"${text}" is no address of Jaeger; give one such as http://localhost:16686`,
      );
    },
  );

  it.each(['ftp://user:secret@host', 'user:secret@host:16686', 'http://user:secret@[::1', 'http:user:secret@'])(
    'that is none is told without its password: %s',
    (text) => {
      expect(() => jaegerAddress(text)).toThrow(/no address of Jaeger/);
      expect(() => jaegerAddress(text)).not.toThrow(/secret/);
    },
  );
});

describe('headers from the environment', () => {
  const read = (list: string) => jaegerAddress('http://host', { [HEADERS_VARIABLE]: list }).headers;

  it('are pairs with percent-encoded values', () => {
    expect(read('authorization=Bearer%20a%2Cb%3D, X-Scope-OrgID = one ,')).toEqual({
      authorization: 'Bearer a,b=',
      'x-scope-orgid': 'one',
    });
    expect(read('x=50%')).toEqual({ x: '50%' });
    expect(read('')).toEqual({});
  });

  it('count more than the address', () => {
    const env = { [HEADERS_VARIABLE]: 'Authorization=Bearer%20t' };
    expect(jaegerAddress('http://u:p@host', env).headers).toEqual({ authorization: 'Bearer t' });
  });

  it.each([
    ['token', 'a part without a name'],
    ['=x', 'a part without a name'],
    ['a b=secret', '"a b"'],
    ['x=secret%0Anext', '"x"'],
  ])('of another form are refused without their values: %s', (list, named) => {
    expect(() => read(list)).toThrow(`${HEADERS_VARIABLE} has ${named} that is no header`);
    expect(() => read(list)).not.toThrow(/secret/);
  });
});

describe('the address of a trace', () => {
  it.each([
    ['http://localhost:16686', 'ab', undefined, 'http://localhost:16686/trace/ab'],
    ['https://u:secret@host/jaeger/', 'ab', 'e 1&2', 'https://host/jaeger/trace/ab?uiFind=e%201%262'],
    ['http://host', 'a/../b', '', 'http://host/trace/a%2F..%2Fb'],
  ])('below %s of %s, found by %s, is %4$s', (base, traceId, find, url) => {
    expect(traceUrl(base, traceId, find)).toBe(url);
  });
});
