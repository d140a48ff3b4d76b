// A forward proxy that a browser context sends everything through: pages, workers, redirects, sockets and API requests.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { admitHost, type HostRules } from './hostGuard.js';
import { type Opening, openingOf } from './proxyHello.js';

export type ProxyRules = HostRules & {
  /** Whether requests that are no navigation may go there. */
  mayLoad(host: string): boolean;
  /** Whether a WebSocket may. */
  maySocket(host: string): boolean;
  refused(url: string, why: string): void;
};

export type GuardProxy = {
  server: string;
  /** Why there is no answer of the server itself, when the headers are those of the proxy's own. */
  whyUnanswered(headers: Readonly<Record<string, string>>): string | undefined;
  close(): Promise<void>;
};

type Forwarding = ProxyRules & { mark: string };

/** What the proxy answers in place of a server has it, with a value that no server knows. */
const unanswered = 'x-recipewright-unanswered';

/** How long a tunnel may stay silent before anybody knows what it is for. */
const silentMs = 10_000;
const longestHello = 20_000;

export async function openProxy(rules: ProxyRules): Promise<GuardProxy> {
  const open = new Set<Socket>();
  const mark = randomUUID();
  const forwarding: Forwarding = { ...rules, mark };
  const server: Server = createServer((asked, answer) => void forward(asked, answer, forwarding).catch(() => answer.destroy()));
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy());
  });
  server.on(
    'connect',
    (asked: IncomingMessage, socket: Socket) => void tunnel(asked.url ?? '', socket, rules).catch(() => socket.destroy()),
  );
  // Browsers open sockets by CONNECT; whoever asks in another way is none.
  server.on('upgrade', (_, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server: `http://127.0.0.1:${port}`,
    whyUnanswered({ [unanswered]: value = '' }) {
      const [by, why = ''] = value.split(' ');
      return by === mark ? decodeURIComponent(why) : undefined;
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function forward(asked: IncomingMessage, answer: ServerResponse, rules: Forwarding): Promise<void> {
  const url = URL.canParse(asked.url ?? '') ? new URL(asked.url ?? '') : undefined;
  if (url?.protocol !== 'http:') {
    answer.writeHead(400).end();
    return;
  }
  const admission = rules.mayLoad(url.hostname) ? await admitHost(url, rules) : undefined;
  if (!admission || 'refused' in admission) {
    if (admission) rules.refused(url.href, admission.refused);
    answerFor(answer, 403, rules.mark, admission?.refused ?? 'no page was let load anything from there');
    return;
  }
  const { 'proxy-connection': _, ...headers } = asked.headers;
  const options = {
    host: admission.address,
    port: url.port || 80,
    path: `${url.pathname}${url.search}`,
    method: asked.method,
    headers,
  };
  const onward = request({ ...options, setHost: false }, (got) => {
    answer.writeHead(got.statusCode ?? 502, got.statusMessage, got.rawHeaders);
    got.pipe(answer);
  });
  // The page is told that there is no answer; it is the site's failure, not ours.
  onward.on('error', ({ message }) =>
    answer.headersSent ? answer.destroy() : answerFor(answer, 502, rules.mark, `the server did not answer: ${message}`),
  );
  answer.on('close', () => onward.destroy());
  asked.pipe(onward);
}

function answerFor(answer: ServerResponse, status: number, mark: string, why: string): void {
  answer.writeHead(status, { 'content-length': '0', [unanswered]: `${mark} ${encodeURIComponent(why)}` }).end();
}

async function tunnel(authority: string, socket: Socket, rules: ProxyRules): Promise<void> {
  socket.on('error', () => socket.destroy());
  const url = URL.canParse(`https://${authority}/`) ? new URL(`https://${authority}/`) : undefined;
  if (!url) return void socket.destroy();
  const port = Number(authority.slice(authority.lastIndexOf(':') + 1));
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
  // The browser speaks first, so that nobody has to be connected to before it is known what for.
  const first = await helloOf(socket);
  if (first === undefined) return;
  const opening = openingOf(first);
  const why = whyNot(opening, url.hostname, rules);
  const admission = why === undefined ? await admitHost(withPort(url, port), rules) : { refused: why };
  if (!('refused' in admission)) return join(socket, connect({ host: admission.address, port }), first);
  if (opening !== 'requests' || rules.mayLoad(url.hostname)) rules.refused(tunnelUrl(authority, first), admission.refused);
  socket.destroy();
}

function whyNot(opening: Opening | undefined, host: string, { maySocket, mayLoad }: ProxyRules): string | undefined {
  if (maySocket(host)) return undefined;
  if (opening !== 'requests') return 'a WebSocket may go only to the hosts of the flow';
  return mayLoad(host) ? undefined : 'no page was let load anything from there';
}

// A URL drops the port that its scheme has anyway; the rules ask about the one that is connected to.
function withPort(url: URL, port: number): URL {
  return port === 80 ? new URL(`http://${url.hostname}/`) : url;
}

function tunnelUrl(authority: string, first: Buffer): string {
  const opening = openingOf(first);
  if (first[0] === 0x16) return `${opening === 'requests' ? 'https' : 'wss'}://${authority.replace(/:443$/, '')}/`;
  const path = /^GET (\S+) /.exec(first.toString('latin1'))?.[1] ?? '/';
  return `ws://${authority.replace(/:80$/, '')}${path}`;
}

/** Undefined when the browser says nothing, or nothing that could be told apart. */
function helloOf(socket: Socket): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    let seen = Buffer.alloc(0);
    const end = (bytes: Buffer | undefined): void => {
      socket.setTimeout(0);
      socket.off('data', more).off('close', gone).off('timeout', gone);
      socket.pause();
      resolve(bytes);
    };
    const more = (bytes: Buffer): void => {
      seen = Buffer.concat([seen, bytes]);
      if (openingOf(seen) !== undefined || seen.length > longestHello) end(seen);
    };
    const gone = (): void => {
      socket.destroy();
      end(undefined);
    };
    socket.setTimeout(silentMs);
    socket.on('data', more).on('close', gone).on('timeout', gone);
  });
}

function join(near: Socket, far: Socket, first: Buffer): void {
  far.on('error', () => near.destroy()).on('close', () => near.destroy());
  near.on('close', () => far.destroy());
  far.on('connect', () => {
    far.write(first);
    near.pipe(far);
    far.pipe(near);
  });
}
