// A page that hangs until it is told to go on, so that nothing has to happen within a certain time.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';

export type Hang = { release(): Promise<void> };

/** Settles when the page hangs: it waits for an answer that it gets when it is released, and does nothing else meanwhile. */
export async function hang(page: Page): Promise<Hang> {
  let response: ServerResponse | undefined;
  const server = createServer((_, answer) => {
    response = answer;
    server.emit('held');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A page that is never released does not keep the process.
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const code = `{ const asked = new XMLHttpRequest(); asked.open('GET', '${url}', false); asked.send() }`;
  const held = once(server, 'held');
  // A page that is closed while it hangs answers nobody.
  const hanging = page.evaluate(code).catch(() => undefined);
  await held;
  return {
    async release() {
      response?.writeHead(200, { 'access-control-allow-origin': '*' }).end();
      await hanging;
      server.close();
      server.closeAllConnections();
    },
  };
}
