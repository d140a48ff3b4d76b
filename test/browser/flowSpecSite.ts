// Two sites for flow-specs: one that is meant, and a canary that counts whoever comes by. Names lead here, and nowhere else.
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as NetServer } from 'node:net';

export type Site = {
  /** http://site.test, or the name that was asked for, with the port of the site. */
  origin: string;
  /** http://evil.test with the port of the canary. */
  evil: string;
  /** Requests and sockets that reached the canary. */
  hits: string[];
  /** https://evil.test with the port of a canary that hears how TLS begins: the protocols that are offered, and nothing more. */
  secure: string;
  hellos: string[];
  lookup(host: string): Promise<readonly string[]>;
  close(): void;
};

export type Answer = (url: URL, request: IncomingMessage) => Promise<Page>;
/** `rest` is the end of the page, which comes when it settles. */
export type Page = { html?: string; rest?: Promise<string>; script?: string; location?: string; status?: number };

/** A name below localhost is one that browsers trust as they trust https. */
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
    // A browser that goes away in the middle of a form breaks off the request.
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
  const secure = hearHellos(hellos);
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

/** It has no certificate, and needs none: whoever greets it has left already. */
function hearHellos(hellos: string[]): NetServer {
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

/** Adds #told to the page after so many uncaught errors. The body may not exist yet when the last one comes. */
export const tellsOf = (errors: number): string => `<script>{ let left = ${errors};
  const tell = () => { if (document.body) document.body.insertAdjacentHTML('beforeend', '<p id="told">told</p>'); else setTimeout(tell) };
  const heard = () => { if (--left === 0) setTimeout(tell) };
  for (const name of ['error', 'unhandledrejection']) addEventListener(name, heard) }</script>`;
