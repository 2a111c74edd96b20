import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutSecrets } from '../../src/failures/secrets.ts';
import { sdkErrorDetails } from '../../src/index.ts';
import { PROPERTY_TIMEOUT_MS, runs } from '../support/runs.ts';

describe('a credential in a message is masked', () => {
  it.each<[message: string, masked: string]>([
    [`token=${'a1'.repeat(900)} rejected`, 'token=*** rejected'],
    ['Authorization: Token abcdef123456', 'Authorization: ***'],
    ['authorization: AWS4-HMAC-SHA256 Credential=AKIA/x, Signature=fe5f', 'authorization: ***'],
    ['{"authorization":"Bearer abc.def","model":"m"}', '{"authorization":"***","model":"m"}'],
    ['Cookie: a=b; session=xyz123\nnext line', 'Cookie: ***\nnext line'],
    ['got Bearer abc123 instead', 'got Bearer *** instead'],
    ['Basic dXNlcjpwYXNz refused', 'Basic *** refused'],
    ['connect postgres://user:p@ss@db:5432/x', 'connect postgres://***@db:5432/x'],
    ['clone https://ghp_abcdefghijkl@github.com/a/b', 'clone https://***@github.com/a/b'],
    ['mongodb+srv://root:hunter2@cluster0.example.net failed', 'mongodb+srv://***@cluster0.example.net failed'],
    ['key AKIAIOSFODNN7EXAMPLE is not active', 'key *** is not active'],
    ['GET /v1beta/models?key=AIzaSyA1234567890abcdefghijklmnopqrstuv', 'GET /v1beta/models?key=***'],
    ['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_123 expired', 'jwt *** expired'],
    ['401 Incorrect API key provided: mykey12345. You can find', '401 Incorrect API key provided: *** You can find'],
    ['Headers.append: "sek ret\n" is an invalid header value.', 'Headers.append: "***" is an invalid header value.'],
    ['{"api_key": "abc def", "n": 1}', '{"api_key": "***", "n": 1}'],
    ['body "{\\"api_key\\":\\"abc\\",\\"n\\":1}"', 'body "{\\"api_key\\":\\"***\\",\\"n\\":1}"'],
    ['https://h/p?sig=abc%2Fdef&x=1', 'https://h/p?sig=***&x=1'],
    ['X-Amz-Signature=abcdef&X-Amz-Security-Token=xyz', 'X-Amz-Signature=***&X-Amz-Security-Token=***'],
    ['password: hunter2, retry', 'password: ***, retry'],
    ["client_secret='top secret' given", "client_secret='***' given"],
    ['{"set-cookie":["sid=abc; Path=/","b=cd"],"n":1}', '{"set-cookie":***"n":1}'],
    ["{ 'x-api-key': [\n  'abc'\n] }", "{ 'x-api-key': *** }"],
    ['{"password":"a\\"bc","n":1}', '{"password":"***","n":1}'],
    ['Authorization: Digest username="u", response="0a1b"\nnext', 'Authorization: ***\nnext'],
    ['{"password"=>"abc"} and secret := abc', '{"password"=>"***"} and secret := ***'],
    ['?next=https%3A%2F%2Fh%2F%3Fapi_key%3Dabc', '?next=https%3A%2F%2Fh%2F%3Fapi_key%3D***'],
    ['Server=x;Pwd=abc;AccountKey=abc==;', 'Server=x;Pwd=***;AccountKey=***;'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----', '***-----END RSA PRIVATE KEY-----'],
    ['{"url":"http:\\/\\/user:abc@h\\/p"}', '{"url":"http:\\/\\/***@h\\/p"}'],
    // The path, the query or the fragment is a part of the password: no address, so that it is quoted as it is.
    ['Failed to parse URL from http://user:a/b@h/p', 'Failed to parse URL from http://***@h/p'],
    ['Failed to parse URL from redis://:a#b@h', 'Failed to parse URL from redis://***@h'],
    // What is too long is cut before it is looked through.
    ['connect http://user:abc', 'connect http://***'],
    ['Headers.append: "abc"def', 'Headers.append: "***'],
    ['sk-proj-abcdefgh12345 and nvapi-abcdefgh1234 and hf_abcdefgh1234', '*** and *** and ***'],
  ])('%s', (message, masked) => {
    expect(withoutSecrets(message)).toBe(masked);
  });
});

it(
  'looks for every credential, whatever stands beside it',
  () => {
    const words = [
      'bearer',
      'Basic',
      'digest',
      'AKIA',
      'ASIA',
      'AIza',
      'ya29.',
      'eyJ',
      'sk',
      'hf',
      'cookie',
      'token',
      'sig',
    ];
    const pieces = [
      'api key provided',
      '" is an invalid header value',
      'authorization',
      'secret',
      'ABCDEFGHIJKL',
      'a1b2c3d4e5f6',
      'eyJhbGciOi.abc',
      'Digest dXNlcjpwYXNz',
      'Error:',
      'Event:',
      '//a@b',
    ];
    const signs = [' ', '\n', ':', '=', '://', '@', '"', "'", '-', '_', '.', '\\', ',', 'x'];
    const text = fc
      .array(fc.constantFrom(...words, ...pieces, ...signs), { maxLength: 8 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (message) => {
        // A line before it that belongs to no credential, so that the text is looked through in any case.
        expect(withoutSecrets(message)).toBe(withoutSecrets(`=\n${message}`).slice(2));
      }),
      runs(),
    );
  },
  PROPERTY_TIMEOUT_MS,
);

describe('ordinary text stays as it is', () => {
  it.each([
    'connect ECONNREFUSED 127.0.0.1:5432',
    'Request failed with status code 503',
    'basic authentication failed: no such user',
    'Digest mismatch for layer sha256',
    'Bearer token missing',
    'bearer authentication required',
    'Unexpected token < in JSON at position 0',
    "Unexpected token: 'x' at line 3",
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    'max_tokens: 4096 is too large',
    'getaddrinfo ENOTFOUND api.example.com',
    'the function signature: (a, b) does not match',
    'https://docs.example.com/a/b?c=d#e and user@example.com',
    'GET http://localhost:4873/@scope/name and http://[::1]:4873/@scope/name from http://localhost:8080',
    'Rate limit reached for gpt-x in organization org-abc on tokens per min (TPM): Limit 10000',
    'the task-sk-1 asked risk-free questions',
    '',
  ])('%s', (message) => {
    expect(withoutSecrets(message)).toBe(message);
  });
});

describe('masking takes time linear in the text', () => {
  const repeated = [
    '//',
    '://a:',
    '://a@',
    'eyJ-',
    'eyJaaaaaa.',
    'bearer ',
    'basic a',
    'basic  ',
    'token',
    'token=',
    'token="',
    'token:\\"',
    'authorization:',
    'cookie="',
    '"',
    '" is an',
    'sk-',
    'AKIA',
    'AIza-',
    'ya29.',
    'api key provided: ',
    'secret \\\\\\"',
    '://a:b',
    '://:',
    'Headers.a: "',
    '-----BEGIN PRIVATE KEY-----',
    'cookie: [',
    'cookie: a="',
    'password="\\"',
    'token%3D',
    'pwd=>',
    '://a:b/',
    ' ',
    ':',
  ];
  const time = (text: string): number => {
    const start = performance.now();
    withoutSecrets(text);
    return performance.now() - start;
  };

  it.each(repeated)('%j over and over', (unit) => {
    for (const end of ['', '!', '"', '@', ' x']) {
      const short = unit.repeat(Math.ceil(4096 / unit.length)) + end;
      const long = unit.repeat(Math.ceil(131_072 / unit.length)) + end;
      time(short);
      expect(Math.min(time(short), time(short), time(short))).toBeLessThan(20);
      // 32 times the text; quadratic work would take a thousand times as long, seconds.
      expect(Math.min(time(long), time(long))).toBeLessThan(400);
    }
  });
});

describe('the messages of real errors', () => {
  it('tells of a refused header without its value', () => {
    const error = thrown(() => new Headers({ 'x-api-key': 'my private key\u0000' }));
    const { message } = sdkErrorDetails(error);
    expect(message).not.toContain('private');
    expect(message).toMatch(/invalid header value/);
  });

  it('tells of a refused address without its password', async () => {
    const error = await fetch('http://someone:hunter2@localhost:1/').catch((reason: unknown) => reason);
    const { message } = sdkErrorDetails(error);
    expect(message).not.toContain('hunter2');
    expect(message).toMatch(/credentials/);
  });
});

function thrown(fn: () => unknown): unknown {
  try {
    return fn();
  } catch (error) {
    return error;
  }
}
