import { describe, expect, it } from 'vitest';
import { isKnownKind } from '../../../src/records/kinds.ts';
import {
  isAbort,
  REQUEST_FAILED,
  REQUEST_REJECTED,
  statusKind,
  transportEvidence,
} from '../../../src/transport/model/transport-kind.ts';

const withCode = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more });

describe('transportEvidence', () => {
  it.each([
    ['transport_unreachable', ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'CERT_HAS_EXPIRED']],
    ['transport_unreachable', ['ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'EPROTO']],
    [
      'transport_peer_drop',
      ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ERR_STREAM_PREMATURE_CLOSE', 'HPE_INVALID_CONSTANT'],
    ],
    ['transport_timeout', ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']],
    ['transport_local_resource', ['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL']],
  ])('%s', (kind, codes) => {
    for (const code of codes) {
      const link = withCode(code);
      const error = new Error('outer', { cause: new TypeError('fetch failed', { cause: link }) });
      expect(transportEvidence(error), code).toEqual({ kind, link });
    }
  });

  it('goes by the first telling link', () => {
    const inner = withCode('ECONNRESET');
    expect(transportEvidence(withCode('ETIMEDOUT', { cause: inner }))?.kind).toBe('transport_timeout');
    expect(transportEvidence(withCode('ERR_NETWORK', { cause: inner }))?.link).toBe(inner);
  });

  it('knows what broke a body off without a cause, a socket file that is not there, a timeout that axios calls an abort', () => {
    expect(transportEvidence(new TypeError('terminated'))?.kind).toBe('transport_peer_drop');
    expect(transportEvidence(withCode('ENOENT', { syscall: 'connect' }))?.kind).toBe('transport_unreachable');
    expect(transportEvidence(withCode('ENOENT', { syscall: 'open' }))).toBeUndefined();
    const timeout = Object.assign(new Error('timeout of 5ms exceeded'), { code: 'ECONNABORTED' });
    expect(transportEvidence(timeout)?.kind).toBe('transport_timeout');
    expect(transportEvidence(withCode('ECONNABORTED'))?.kind).toBe('transport_peer_drop');
  });

  it('says nothing of what says nothing, and bears whatever can be thrown', () => {
    const cycle = new Error('a');
    cycle.cause = cycle;
    const hostile = new Proxy(new Error('b'), {
      get: () => {
        throw new Error('no');
      },
    });
    for (const error of [undefined, null, 'ECONNRESET', 7, {}, new Error('terminated by the user'), cycle, hostile]) {
      expect(transportEvidence(error)).toBeUndefined();
      expect(isAbort(error, undefined)).toBe(false);
    }
  });
});

describe('statusKind', () => {
  it.each([
    [400, undefined, REQUEST_REJECTED],
    [400, 'billing_hard_limit_reached', 'provider_quota_exhausted'],
    [401, undefined, REQUEST_REJECTED],
    [402, undefined, 'provider_quota_exhausted'],
    [404, undefined, REQUEST_REJECTED],
    [408, undefined, 'provider_unavailable'],
    [429, undefined, 'provider_unavailable'],
    [429, 'rate_limit_exceeded', 'provider_unavailable'],
    [429, 'insufficient_quota', 'provider_quota_exhausted'],
    [500, undefined, 'provider_unavailable'],
    [503, 'insufficient_quota', 'provider_unavailable'],
    [504, undefined, 'provider_unavailable'],
    [529, 'overloaded_error', 'provider_unavailable'],
  ])('%i %s: %s', (status, code, kind) => {
    expect(statusKind(status, code)).toBe(kind);
  });

  it('gives kinds that an event may have', () => {
    expect([REQUEST_FAILED, REQUEST_REJECTED].every(isKnownKind)).toBe(true);
  });
});
