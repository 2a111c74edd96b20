import type { Server } from 'node:http';

/**
 * Serves on a free port (or `PORT`) and tells it to the parent process. The server ends on SIGTERM, and at
 * once when the parent is gone: no process of the batch outlives it.
 */
export function serve(server: Server): void {
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    if (process.send !== undefined) process.send({ port });
    else console.log(`http://127.0.0.1:${port}`);
  });
  server.once('error', (error) => {
    console.error(`Cannot listen: ${error.message}`);
    process.exit(1);
  });

  const orphaned = (): never => process.exit(1);
  process.once('disconnect', orphaned);
  process.once('SIGTERM', () => {
    process.off('disconnect', orphaned);
    server.close();
    server.closeAllConnections();
    // Nothing is left to do: telemetry.ts exports the last spans, and the process ends.
    if (process.connected) process.disconnect();
  });
  // Ctrl-C reaches the whole process group; the parent decides when each server stops.
  process.on('SIGINT', () => {});
}

/**
 * An address that another process of the batch told.
 *
 * @throws Error that names the variable when it is not set
 */
export function peer(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set: give the address of that server`);
  return value;
}
