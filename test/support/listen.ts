// Starts a server of a test on a free local port.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The server does not keep the process alive, because a process that only collects tests never closes it. */
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
