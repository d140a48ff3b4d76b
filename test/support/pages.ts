// Pages for tests, from a server of their own: a recipe cannot open a page that it wrote itself.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Pages = { url(html: string): string; close(): void };

export async function servePages(): Promise<Pages> {
  const server = createServer((request, response) => {
    const html = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams.get('html') ?? '';
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A process that only collects the tests never closes it. A worker of Playwright must not: it may come back to a file that it was done with,
  // and finds the module as it left it. There it ends with the process.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { url: (html) => `http://127.0.0.1:${port}/?html=${encodeURIComponent(html)}`, close: () => server.close() };
}
