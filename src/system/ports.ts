// Finds free ports of this machine, and servers that listen on a port.
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireLock } from './files/lockFile.js';

export type ReservedPort = { port: number; release(): void };

/** Returns a free port. Until its release, no other run of this user on this machine gets the same port. */
export async function reservePort(): Promise<ReservedPort> {
  for (;;) {
    const port = await findFreePort();
    const release = acquireLock(join(tmpdir(), `recipewright-ports-${process.getuid?.() ?? 'all'}`, String(port)));
    if (release) return { port, release };
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (typeof address !== 'object' || address === null) throw new Error('The operating system returned no free port.');
  return address.port;
}

/** Returns the host for URLs of the server that listens on this port. Undefined when no server does. */
export async function findListener(port: number): Promise<'127.0.0.1' | '[::1]' | undefined> {
  if (await acceptsConnections('127.0.0.1', port)) return '127.0.0.1';
  // A server that listens on "localhost" may listen only on IPv6.
  return (await acceptsConnections('::1', port)) ? '[::1]' : undefined;
}

const connectMs = 1_000;

function acceptsConnections(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectMs });
    const settle = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });
}
