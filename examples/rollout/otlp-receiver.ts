import { createWriteStream } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';

/** A small OTLP/HTTP endpoint: every export of spans becomes one line of a file. */
export interface OtlpReceiver {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** Ends when the file is written. */
  close(): Promise<void>;
}

/** Starts a receiver of JSON exports on a free port, which writes them to `file`. */
export async function startOtlpReceiver(file: string): Promise<OtlpReceiver> {
  const lines = createWriteStream(file);
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/traces') {
      response.writeHead(404).end();
      return;
    }
    try {
      // Parsed and written again: an export is one line, whatever white space it came with.
      const spans: unknown = JSON.parse(await bodyOf(request));
      lines.write(`${JSON.stringify(spans)}\n`);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    } catch (error) {
      // The exporter logs a refused export; here it would only be seen as missing spans.
      response.writeHead(400).end(String(error));
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The OTLP receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      });
      lines.end();
      await finished(lines);
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  request.setEncoding('utf8');
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}
