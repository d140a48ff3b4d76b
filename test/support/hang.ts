// Makes a page hang until the test releases it, so that the test does not depend on time.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';

export type Hang = { release(): Promise<void> };

/**
 * Blocks the main thread of the page with a synchronous request, whose response comes with `release`. Resolves when the page is
 * blocked.
 */
export async function hang(page: Page): Promise<Hang> {
  let response: ServerResponse | undefined;
  const server = createServer((_, answer) => {
    response = answer;
    server.emit('blocked');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The server does not keep the process alive when a page is never released.
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const code = `{ const request = new XMLHttpRequest(); request.open('GET', '${url}', false); request.send() }`;
  const blocked = once(server, 'blocked');
  // Fails when the page is closed while it hangs.
  const hanging = page.evaluate(code).catch(() => undefined);
  await blocked;
  return {
    async release() {
      response?.writeHead(200, { 'access-control-allow-origin': '*' }).end();
      await hanging;
      server.close();
      server.closeAllConnections();
    },
  };
}
