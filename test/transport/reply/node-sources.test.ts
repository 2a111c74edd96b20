import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import { expect, it } from 'vitest';

/** Functions of Node that stand behind an own property of ours, or that the reply carrier counts on. */
const SOURCES = {
  'ServerResponse.writeHead': http.ServerResponse.prototype.writeHead,
  'ServerResponse._implicitHeader': Reflect.get(http.ServerResponse.prototype, '_implicitHeader'),
  'ServerResponse.writeEarlyHints': http.ServerResponse.prototype.writeEarlyHints,
  'OutgoingMessage._storeHeader': Reflect.get(http.OutgoingMessage.prototype, '_storeHeader'),
  'OutgoingMessage.flushHeaders': http.OutgoingMessage.prototype.flushHeaders,
  'OutgoingMessage.getHeader': http.OutgoingMessage.prototype.getHeader,
  'Http2ServerResponse.writeHead': http2.Http2ServerResponse.prototype.writeHead,
  'EventEmitter.emit': EventEmitter.prototype.emit,
  'IncomingMessage.push': http.IncomingMessage.prototype.push,
};

type Name = keyof typeof SOURCES;

/**
 * What each of them was, by Node's major version, when the carrier was last read against it: the start of its source's
 * SHA-256. A minor version that changes one adds another.
 */
const KNOWN: Record<string, Record<Name, readonly string[]>> = {
  20: {
    'ServerResponse.writeHead': ['18ff17257fea6ba2'],
    'ServerResponse._implicitHeader': ['42808d7da182ffca'],
    'ServerResponse.writeEarlyHints': ['cc09b5f4171b1bfd'],
    'OutgoingMessage._storeHeader': ['87f357f1def4079f'],
    'OutgoingMessage.flushHeaders': ['0d4a4cf877ea0d37'],
    'OutgoingMessage.getHeader': ['dd1bcb1bd32dbdce'],
    'Http2ServerResponse.writeHead': ['fb6397b600fb83f4'],
    'EventEmitter.emit': ['836fc5f2e799e118'],
    'IncomingMessage.push': ['7a1c329c9f98d21f'],
  },
  22: {
    'ServerResponse.writeHead': ['ba4dce6ab47820ee'],
    'ServerResponse._implicitHeader': ['42808d7da182ffca'],
    'ServerResponse.writeEarlyHints': ['ae27c4834dbb1477'],
    'OutgoingMessage._storeHeader': ['87f357f1def4079f'],
    'OutgoingMessage.flushHeaders': ['0d4a4cf877ea0d37'],
    'OutgoingMessage.getHeader': ['16b0b35b5530f625'],
    'Http2ServerResponse.writeHead': ['fb6397b600fb83f4'],
    'EventEmitter.emit': ['1c2edd0b655ce88b'],
    'IncomingMessage.push': ['7a1c329c9f98d21f'],
  },
  24: {
    'ServerResponse.writeHead': ['ba4dce6ab47820ee'],
    'ServerResponse._implicitHeader': ['42808d7da182ffca'],
    'ServerResponse.writeEarlyHints': ['7adffa86e382554d'],
    'OutgoingMessage._storeHeader': ['ffabd24da9b817df'],
    'OutgoingMessage.flushHeaders': ['0d4a4cf877ea0d37'],
    'OutgoingMessage.getHeader': ['16b0b35b5530f625'],
    'Http2ServerResponse.writeHead': ['fb6397b600fb83f4'],
    'EventEmitter.emit': ['4d0a657da00aa29a'],
    'IncomingMessage.push': ['7a1c329c9f98d21f'],
  },
  26: {
    'ServerResponse.writeHead': ['2392dba30ce8222d'],
    'ServerResponse._implicitHeader': ['42808d7da182ffca'],
    'ServerResponse.writeEarlyHints': ['7adffa86e382554d'],
    'OutgoingMessage._storeHeader': ['29b6247600f9d8cd'],
    'OutgoingMessage.flushHeaders': ['0d4a4cf877ea0d37'],
    'OutgoingMessage.getHeader': ['16b0b35b5530f625'],
    'Http2ServerResponse.writeHead': ['fb6397b600fb83f4'],
    'EventEmitter.emit': ['aad7d72126c2fa3e'],
    'IncomingMessage.push': ['9702ba36049e7e41'],
  },
};

const [major = ''] = process.versions.node.split('.');
const REMEDY = 'read it, run test/transport/reply/reply-carrier.test.ts on it, and add';

it('this major version of Node was read before', () => {
  expect(Object.keys(KNOWN), `Node ${major} is new here: ${REMEDY} what it has to KNOWN`).toContain(major);
});

it.each(Object.entries(SOURCES))('%s is as it was read', (name, fn) => {
  const hash = createHash('sha256').update(String(fn)).digest('hex').slice(0, 16);
  const known = Object.entries(KNOWN[major] ?? {}).find(([candidate]) => candidate === name)?.[1] ?? [];
  expect(known, `Node ${process.versions.node} changed ${name}: ${REMEDY} ${hash} to KNOWN`).toContain(hash);
});
