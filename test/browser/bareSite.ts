// An app that does what it finds in its own storage, so that `cdp.*` alone can make it do something.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenHere } from '../support/listen.js';

const worker = `
  setInterval(async () => {
    const todo = localStorage.getItem('todo');
    if (todo === null) return;
    localStorage.removeItem('todo');
    await (0, eval)('(async () => {' + todo + '})()').catch((thrown) => { document.title = String(thrown); });
  }, 20);`;

const html = (title: string, body: string): string => `<!doctype html><title>${title}</title><body>${body}</body>`;

export type BareSite = { origin: string; other: string; close(): void };

/** `other`: the same machine under another name, which browsers take for another site. */
export async function serveBareSite(): Promise<BareSite> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const frame = `<iframe src="http://localhost:${(server.address() as AddressInfo).port}/frame"></iframe>`;
    const pages: Record<string, string> = {
      '/app': html('App', `${frame}<script>${worker}</script>`),
      '/frame': html('Frame', "<script>localStorage.setItem('inside', 'frame')</script>"),
      '/popup': html('Payment', 'pay'),
    };
    if (pathname === '/api/moved') return response.writeHead(302, { location: '/api/ok?from=moved' }).end();
    if (pathname === '/api/ok') {
      const echo = JSON.stringify({ language: request.headers['accept-language'], at: searchParams.get('at') });
      return response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'sid=secret; HttpOnly' }).end(echo);
    }
    const body = pages[pathname];
    return response.writeHead(body ? 200 : 404, { 'content-type': 'text/html' }).end(body ?? 'no');
  });
  const { port, close } = await listenHere(server);
  return { origin: `http://127.0.0.1:${port}`, other: `http://localhost:${port}`, close };
}
