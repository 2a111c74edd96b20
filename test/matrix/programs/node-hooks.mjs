// Prints what this Node has of its own where the package puts something of ours in front, or listens.
import { createHash } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import http from 'node:http';

const { ServerResponse, IncomingMessage, OutgoingMessage } = http;
const OVERRIDDEN = {
  // transport/reply-carrier.ts: the header leaves with it; the others are the ways by which a reply gets there.
  'ServerResponse.writeHead': ServerResponse.prototype.writeHead,
  'ServerResponse._implicitHeader': ServerResponse.prototype._implicitHeader,
  'ServerResponse.writeContinue': ServerResponse.prototype.writeContinue,
  'ServerResponse.writeProcessing': ServerResponse.prototype.writeProcessing,
  'ServerResponse.writeInformation': ServerResponse.prototype.writeInformation,
  'ServerResponse.writeEarlyHints': ServerResponse.prototype.writeEarlyHints,
  'OutgoingMessage.flushHeaders': OutgoingMessage.prototype.flushHeaders,
  'OutgoingMessage.end': OutgoingMessage.prototype.end,
  // transport/serve-request.ts
  'IncomingMessage.emit': IncomingMessage.prototype.emit,
  'ServerResponse.emit': ServerResponse.prototype.emit,
  // instrumentation/event-stream.ts
  'IncomingMessage.push': IncomingMessage.prototype.push,
};

const sha256 = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);
/** Layout and comments may change. */
const codeOf = (fn) =>
  String(fn)
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    .replaceAll(/\s+/g, ' ');
const functions = Object.fromEntries(
  Object.entries(OVERRIDDEN).map(([name, fn]) => [name, fn === undefined ? 'none' : sha256(codeOf(fn))]),
);

/** The channels that fire for one served request and one fetch with a body, in their order, and what they carry. */
const fired = [];
const MESSAGES = {
  'http.server.request.start': ({ request, response, socket, server }) => ({ request, response, socket, server }),
  'http.client.request.created': ({ request }) => ({ request }),
  'http.client.request.start': ({ request }) => ({ request }),
  'http.client.response.finish': ({ request, response }) => ({ request, response }),
  'undici:request:create': ({ request }) => ({ request, onData: request.onData }),
  'undici:request:headers': ({ response }) => ({ response, headers: response.headers }),
  'undici:request:bodyChunkReceived': ({ request, chunk }) => ({ request, chunk }),
  'undici:request:trailers': ({ request }) => ({ request }),
};
for (const [name, members] of Object.entries(MESSAGES)) {
  subscribe(name, (message) => {
    const kinds = Object.entries(members(message)).map(([member, value]) => `${member}: ${kindOf(value)}`);
    const line = `${name} { ${kinds.join(', ')} }`;
    if (!fired.includes(line)) fired.push(line);
  });
}
function kindOf(value) {
  return value?.constructor?.name ?? typeof value;
}

const server = http.createServer((_, res) => res.end('body')).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
const [response] = await once(http.get(url), 'response');
await response.toArray();
await (await fetch(url)).text();
server.close();
server.closeAllConnections();

console.log(JSON.stringify({ functions, channels: fired }));
