// A server of a test, on a free port of this machine.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A process that only collects the tests never closes it, and ends all the same. */
export async function listenHere(server: Server): Promise<{ port: number; close(): void }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { port, close };
}
