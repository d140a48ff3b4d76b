// Serves pages for tests over HTTP, because a recipe cannot open a page from a string.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Pages = { url(html: string): string; close(): void };

export async function servePages(): Promise<Pages> {
  const server = createServer((request, response) => {
    const html = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams.get('html') ?? '';
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The server does not keep the process alive, because a process that only collects tests never closes it. A Playwright worker
  // must not close it either: the worker may later run more tests of the same file, with the same module.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { url: (html) => `http://127.0.0.1:${port}/?html=${encodeURIComponent(html)}`, close: () => server.close() };
}
