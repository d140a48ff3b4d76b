// A forward proxy that a browser context sends everything through: pages, workers, redirects, sockets and API requests.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { admitHost, type HostRules } from './privateHosts.js';

export type ProxyRules = HostRules & {
  /** Whether requests that are no navigation may go there. */
  mayLoad(host: string): boolean;
  /** Whether a WebSocket may. */
  maySocket(host: string): boolean;
  onRefused(url: string, why: string): void;
};

export type GuardProxy = {
  server: string;
  /** Why there is no answer of the server itself, when the headers are those of the proxy's own. */
  explainUnanswered(headers: Readonly<Record<string, string>>): string | undefined;
  close(): Promise<void>;
};

type Forwarding = ProxyRules & { mark: string };

/** What the proxy answers in place of a server has it, with a value that no server knows. */
const unansweredHeader = 'x-recipewright-unanswered';

/** How long a tunnel may stay silent before anybody knows what it is for. */
const helloTimeoutMs = 10_000;
const maxHelloBytes = 20_000;

export async function openProxy(rules: ProxyRules): Promise<GuardProxy> {
  const open = new Set<Socket>();
  const mark = randomUUID();
  const forwarding: Forwarding = { ...rules, mark };
  const server: Server = createServer(
    (incoming, answer) => void forwardRequest(incoming, answer, forwarding).catch(() => answer.destroy()),
  );
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy());
  });
  server.on(
    'connect',
    (asked: IncomingMessage, socket: Socket) => void openTunnel(asked.url ?? '', socket, rules).catch(() => socket.destroy()),
  );
  // Browsers open sockets by CONNECT; whoever asks in another way is none.
  server.on('upgrade', (_, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server: `http://127.0.0.1:${port}`,
    explainUnanswered({ [unansweredHeader]: value = '' }) {
      const [by, why = ''] = value.split(' ');
      return by === mark ? decodeURIComponent(why) : undefined;
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function forwardRequest(incoming: IncomingMessage, answer: ServerResponse, rules: Forwarding): Promise<void> {
  const url = URL.canParse(incoming.url ?? '') ? new URL(incoming.url ?? '') : undefined;
  if (url?.protocol !== 'http:') {
    answer.writeHead(400).end();
    return;
  }
  const admission = rules.mayLoad(url.hostname) ? await admitHost(url, rules) : undefined;
  if (!admission || 'refused' in admission) {
    if (admission) rules.onRefused(url.href, admission.refused);
    answerInstead(answer, 403, rules.mark, admission?.refused ?? 'no page was let load anything from there');
    return;
  }
  const { 'proxy-connection': _, ...headers } = incoming.headers;
  const options = {
    host: admission.address,
    port: url.port || 80,
    path: `${url.pathname}${url.search}`,
    method: incoming.method,
    headers,
  };
  const onward = request({ ...options, setHost: false }, (got) => {
    answer.writeHead(got.statusCode ?? 502, got.statusMessage, got.rawHeaders);
    got.pipe(answer);
  });
  // The page is told that there is no answer; it is the site's failure, not ours.
  onward.on('error', ({ message }) =>
    answer.headersSent ? answer.destroy() : answerInstead(answer, 502, rules.mark, `the server did not answer: ${message}`),
  );
  answer.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

function answerInstead(answer: ServerResponse, status: number, mark: string, why: string): void {
  answer.writeHead(status, { 'content-length': '0', [unansweredHeader]: `${mark} ${encodeURIComponent(why)}` }).end();
}

async function openTunnel(authority: string, socket: Socket, rules: ProxyRules): Promise<void> {
  socket.on('error', () => socket.destroy());
  const url = URL.canParse(`https://${authority}/`) ? new URL(`https://${authority}/`) : undefined;
  if (!url) return void socket.destroy();
  const port = Number(authority.slice(authority.lastIndexOf(':') + 1));
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
  // The browser speaks first, so that nobody has to be connected to before it is known what for.
  const first = await readHello(socket);
  if (first === undefined) return;
  const kind = readTunnelKind(first);
  const why = explainRefusal(kind, url.hostname, rules);
  const admission = why === undefined ? await admitHost(withPort(url, port), rules) : { refused: why };
  if (!('refused' in admission)) return connectSockets(socket, connect({ host: admission.address, port }), first);
  if (kind !== 'requests' || rules.mayLoad(url.hostname)) rules.onRefused(formatTunnelUrl(authority, first), admission.refused);
  socket.destroy();
}

function explainRefusal(kind: TunnelKind | undefined, host: string, { maySocket, mayLoad }: ProxyRules): string | undefined {
  if (maySocket(host)) return undefined;
  if (kind !== 'requests') return 'a WebSocket may go only to the hosts of the flow';
  return mayLoad(host) ? undefined : 'no page was let load anything from there';
}

// A URL drops the port that its scheme has anyway; the rules ask about the one that is connected to.
function withPort(url: URL, port: number): URL {
  return port === 80 ? new URL(`http://${url.hostname}/`) : url;
}

function formatTunnelUrl(authority: string, first: Buffer): string {
  const kind = readTunnelKind(first);
  if (first[0] === 0x16) return `${kind === 'requests' ? 'https' : 'wss'}://${authority.replace(/:443$/, '')}/`;
  const path = /^GET (\S+) /.exec(first.toString('latin1'))?.[1] ?? '/';
  return `ws://${authority.replace(/:80$/, '')}${path}`;
}

/** Undefined when the browser says nothing, or nothing that could be told apart. */
function readHello(socket: Socket): Promise<Buffer | undefined> {
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
      if (readTunnelKind(seen) !== undefined || seen.length > maxHelloBytes) end(seen);
    };
    const gone = (): void => {
      socket.destroy();
      end(undefined);
    };
    socket.setTimeout(helloTimeoutMs);
    socket.on('data', more).on('close', gone).on('timeout', gone);
  });
}

function connectSockets(near: Socket, far: Socket, first: Buffer): void {
  far.on('error', () => near.destroy()).on('close', () => near.destroy());
  near.on('close', () => far.destroy());
  far.on('connect', () => {
    far.write(first);
    near.pipe(far);
    far.pipe(near);
  });
}

// What the first bytes of a tunnel are: TLS for a page's requests, TLS for a WebSocket, or a WebSocket in the open.

type TunnelKind = 'requests' | 'socket' | 'unknown';

/** Undefined until there are enough bytes to tell. Browsers offer h2 for requests, and only http/1.1 for a WebSocket. */
function readTunnelKind(bytes: Buffer): TunnelKind | undefined {
  if (bytes.length === 0) return undefined;
  if (bytes[0] !== 0x16) return 'socket';
  if (bytes.length < 5) return undefined;
  const end = 5 + bytes.readUInt16BE(3);
  if (bytes.length < end) return undefined;
  const offered = readOfferedProtocols(bytes.subarray(5, end));
  if (!offered) return 'unknown';
  return offered.includes('h2') ? 'requests' : 'socket';
}

/** The protocols that a ClientHello offers (RFC 8446 §4.1.2, RFC 7301); none when it does not say. */
function readOfferedProtocols(hello: Buffer): string[] | undefined {
  try {
    if (hello[0] !== 1) return undefined;
    let at = 4 + 2 + 32;
    at += 1 + hello.readUInt8(at);
    at += 2 + hello.readUInt16BE(at);
    at += 1 + hello.readUInt8(at);
    const end = at + 2 + hello.readUInt16BE(at);
    at += 2;
    while (at + 4 <= end) {
      const [type, length] = [hello.readUInt16BE(at), hello.readUInt16BE(at + 2)];
      if (type === 16) return readProtocolNames(hello.subarray(at + 6, at + 4 + length));
      at += 4 + length;
    }
    return [];
  } catch {
    // RangeError: it ends in the middle, and so is no ClientHello that a browser sends.
    return undefined;
  }
}

function readProtocolNames(list: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at < list.length; ) {
    const length = list.readUInt8(at);
    names.push(list.subarray(at + 1, at + 1 + length).toString('latin1'));
    at += 1 + length;
  }
  return names;
}
