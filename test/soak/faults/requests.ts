/** Requests as texts: good ones, and what is none. */

export const requestOf = (path: string, ...more: readonly string[]): string =>
  `${[`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...more].join('\r\n')}\r\n\r\n`;

/** Hostile, half or no requests at all; number `n` where they name one. */
export const HOSTILE: readonly ((n: number) => string)[] = [
  (n) => requestOf(`/own/${n}`, `X-NG-Failure-Report: ${'x'.repeat(20_000)}`),
  (n) => requestOf(`/own/${n}`, 'Content-Length: 5', 'Transfer-Encoding: chunked'),
  (n) => `POST /body/${n} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
  () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  (n) => `GET /own/${n} HTTP/9.9\r\n\r\n`,
  (n) => `BREW /own/${n}\0 HTTP/1.1\r\n\r\n`,
  (n) => requestOf(`/${'%'.repeat(3000)}/${n}`),
  (n) => `GET /own/${n} HTTP/1.1\r\nHost: x\r\nX-NG-Fail`,
];
