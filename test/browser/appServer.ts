// Serves a small app with a few pages.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenHere } from '../support/listen.js';

/** `requests`: the paths of all requests. */
export type AppServer = { origin: string; port: number; requests: string[]; close(): void };

const page = (title: string, body = ''): string => `<!doctype html><title>${title}</title><body><h1>${title}</h1>${body}</body>`;

const heard = `<script>
  window.heard = [];
  for (const name of ['freeze', 'resume', 'visibilitychange']) {
    document.addEventListener(name, () => heard.push(name === 'visibilitychange' ? document.visibilityState : name));
  }
</script>`;

type RouteResponse = { status?: number; headers?: Record<string, string | string[]>; body?: string };

const routes: Readonly<Record<string, RouteResponse>> = {
  '/': { body: page('Shop', heard) },
  '/cart': { body: page('Cart') },
  '/popup': { body: page('Payment', '<a href="/cart" target="_blank">pay</a>') },
  '/frames': { body: page('Frames', '<iframe src="/cart"></iframe>') },
  '/asks': { body: page('Asks', '<script>onbeforeunload = (event) => event.preventDefault()</script>') },
  '/broken': { status: 500, body: page('Broken') },
  '/api/ok': { headers: { 'content-type': 'application/json' }, body: '{"ok":true}' },
  '/api/bad': { status: 404, body: 'no' },
  '/big': { body: page('Big', 'z'.repeat(20_000)) },
  '/signed': { headers: { 'set-cookie': ['sid=very-secret; HttpOnly', 'theme=dark'] }, body: page('Signed in') },
};

export async function serveApp(): Promise<AppServer> {
  const requests: string[] = [];
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(request.url ?? '');
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    // This request never gets a response.
    if (pathname === '/api/never') return;
    const { status = 200, headers = {}, body = '' } = routes[pathname] ?? { status: 404, body: page('Not found') };
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body);
  };
  const server = createServer(respond);
  const { port, close } = await listenHere(server);
  return { origin: `http://127.0.0.1:${port}`, port, requests, close };
}
