// Two servers for flow-specs: the site of the flow, and a canary that counts all requests. All host names resolve to this machine.
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as NetServer } from 'node:net';

export type Site = {
  /** http://site.test, or `name` instead of site.test, with the port of the site. */
  origin: string;
  /** http://evil.test with the port of the canary. */
  evil: string;
  /** Requests and sockets that reached the canary. */
  hits: string[];
  /** https://evil.test with the port of a canary that only reads the TLS hello. */
  secure: string;
  /** For each TLS hello: whether the client offered HTTP/2 ("requests") or not ("socket"). */
  hellos: string[];
  lookup(host: string): Promise<readonly string[]>;
  close(): void;
};

export type Answer = (url: URL, request: IncomingMessage) => Promise<Page>;
/** `rest`: the end of the page, sent when the promise resolves. */
export type Page = { html?: string; rest?: Promise<string>; script?: string; location?: string; status?: number };

/** Browsers treat a `name` below localhost as a secure context. */
export async function serveSite(answer: Answer, name = 'site.test'): Promise<Site> {
  const hits: string[] = [];
  const canary = createServer((request, response) => {
    hits.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p id="tried">canary</p>');
  });
  canary.on('upgrade', (request, socket) => {
    hits.push(`socket ${request.url}`);
    socket.destroy();
  });
  canary.on('connection', () => hits.push('connection'));
  const site = createServer(async (request, response) => {
    // A browser that closes while it sends a form aborts the request.
    const page = await answer(new URL(request.url ?? '/', `http://${name}`), request).catch((): Page => ({}));
    const { html = '', rest = '', script, location, status } = page;
    const type = script === undefined ? 'text/html' : 'text/javascript';
    response.writeHead(status ?? (location === undefined ? 200 : 302), {
      'content-type': type,
      ...(location === undefined ? {} : { location }),
    });
    response.write(script ?? html);
    response.end(await rest);
  });
  const hellos: string[] = [];
  const secure = createHelloServer(hellos);
  const [sitePort, evilPort, securePort] = [await listen(site), await listen(canary), await listen(secure)];
  return {
    ...{ origin: `http://${name}:${sitePort}`, evil: `http://evil.test:${evilPort}`, hits },
    ...{ secure: `https://evil.test:${securePort}`, hellos },
    lookup: async () => ['127.0.0.1'],
    close() {
      for (const server of [site, canary]) {
        server.closeAllConnections();
        server.close();
      }
      secure.close();
    },
  };
}

/** Needs no certificate, because the hello is enough to detect a connection. */
function createHelloServer(hellos: string[]): NetServer {
  return createTcpServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (bytes) => {
      hellos.push(bytes.includes('h2') ? 'requests' : 'socket');
      socket.destroy();
    });
  });
}

async function listen(server: NetServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return (server.address() as AddressInfo).port;
}

/** A script that adds #told to the page after `errors` uncaught errors. The body may not exist yet at the last error. */
export const showAfterErrors = (errors: number): string => `<script>{ let left = ${errors};
  const tell = () => { if (document.body) document.body.insertAdjacentHTML('beforeend', '<p id="told">told</p>'); else setTimeout(tell) };
  const heard = () => { if (--left === 0) setTimeout(tell) };
  for (const name of ['error', 'unhandledrejection']) addEventListener(name, heard) }</script>`;
