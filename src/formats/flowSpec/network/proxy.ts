// A forward proxy for all traffic of a browser context: pages, workers, redirects, WebSockets and API requests.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { admitHost, type HostRules } from './privateHosts.js';

export type ProxyRules = HostRules & {
  /** Whether requests other than navigations may go to the host. */
  mayLoad(host: string): boolean;
  /** Whether a WebSocket may connect to the host. */
  maySocket(host: string): boolean;
  onRefused(url: string, reason: string): void;
};

export type GuardProxy = {
  server: string;
  /** Returns why the server did not answer, when the proxy itself sent the response. */
  explainUnanswered(headers: Readonly<Record<string, string>>): string | undefined;
  close(): Promise<void>;
};

type Forwarding = ProxyRules & { mark: string };

/** Marks responses of the proxy itself with a random value that no server can know. */
const unansweredHeader = 'x-recipewright-unanswered';

/** How long a new tunnel may stay silent. */
const helloTimeoutMs = 10_000;
const maxHelloBytes = 20_000;

export async function openProxy(rules: ProxyRules): Promise<GuardProxy> {
  const sockets = new Set<Socket>();
  const mark = randomUUID();
  const forwarding: Forwarding = { ...rules, mark };
  const server: Server = createServer(
    (incoming, answer) => void forwardRequest(incoming, answer, forwarding).catch(() => answer.destroy()),
  );
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  });
  server.on(
    'connect',
    (incoming: IncomingMessage, socket: Socket) =>
      void openTunnel(incoming.url ?? '', socket, rules).catch(() => socket.destroy()),
  );
  // Browsers open WebSockets with CONNECT, so an upgrade request does not come from one.
  server.on('upgrade', (_, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server: `http://127.0.0.1:${port}`,
    explainUnanswered({ [unansweredHeader]: value = '' }) {
      const [sender, reason = ''] = value.split(' ');
      return sender === mark ? decodeURIComponent(reason) : undefined;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
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
    answerInstead(answer, 403, rules.mark, admission?.refused ?? 'no page was allowed to load anything from there');
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
  const outgoing = request({ ...options, setHost: false }, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.statusMessage, response.rawHeaders);
    response.pipe(answer);
  });
  // A server that does not answer is a failure of the site, so the page gets an error response.
  outgoing.on('error', ({ message }) =>
    answer.headersSent ? answer.destroy() : answerInstead(answer, 502, rules.mark, `the server did not answer: ${message}`),
  );
  answer.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

function answerInstead(answer: ServerResponse, status: number, mark: string, reason: string): void {
  answer.writeHead(status, { 'content-length': '0', [unansweredHeader]: `${mark} ${encodeURIComponent(reason)}` }).end();
}

async function openTunnel(authority: string, socket: Socket, rules: ProxyRules): Promise<void> {
  socket.on('error', () => socket.destroy());
  const url = URL.canParse(`https://${authority}/`) ? new URL(`https://${authority}/`) : undefined;
  if (!url) return void socket.destroy();
  const port = Number(authority.slice(authority.lastIndexOf(':') + 1));
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
  // The first bytes from the browser show the kind of the tunnel, before the proxy connects to the server.
  const hello = await readHello(socket);
  if (hello === undefined) return;
  const kind = readTunnelKind(hello);
  const reason = explainRefusal(kind, url.hostname, rules);
  const admission = reason === undefined ? await admitHost(withPort(url, port), rules) : { refused: reason };
  if (!('refused' in admission)) return connectSockets(socket, connect({ host: admission.address, port }), hello);
  if (kind !== 'requests' || rules.mayLoad(url.hostname)) rules.onRefused(formatTunnelUrl(authority, hello), admission.refused);
  socket.destroy();
}

function explainRefusal(kind: TunnelKind | undefined, host: string, { maySocket, mayLoad }: ProxyRules): string | undefined {
  if (maySocket(host)) return undefined;
  if (kind !== 'requests') return 'a WebSocket may only connect to the hosts of the flow';
  return mayLoad(host) ? undefined : 'no page was allowed to load anything from there';
}

// A URL drops the default port of its scheme, but the rules need the port of the connection.
function withPort(url: URL, port: number): URL {
  return port === 80 ? new URL(`http://${url.hostname}/`) : url;
}

function formatTunnelUrl(authority: string, hello: Buffer): string {
  const kind = readTunnelKind(hello);
  if (hello[0] === 0x16) return `${kind === 'requests' ? 'https' : 'wss'}://${authority.replace(/:443$/, '')}/`;
  const path = /^GET (\S+) /.exec(hello.toString('latin1'))?.[1] ?? '/';
  return `ws://${authority.replace(/:80$/, '')}${path}`;
}

/** Reads the first bytes of a tunnel. Returns undefined when the browser sends nothing before the timeout. */
function readHello(socket: Socket): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const end = (bytes: Buffer | undefined): void => {
      socket.setTimeout(0);
      socket.off('data', onData).off('close', onClosed).off('timeout', onClosed);
      socket.pause();
      resolve(bytes);
    };
    const onData = (bytes: Buffer): void => {
      received = Buffer.concat([received, bytes]);
      if (readTunnelKind(received) !== undefined || received.length > maxHelloBytes) end(received);
    };
    const onClosed = (): void => {
      socket.destroy();
      end(undefined);
    };
    socket.setTimeout(helloTimeoutMs);
    socket.on('data', onData).on('close', onClosed).on('timeout', onClosed);
  });
}

function connectSockets(browserSocket: Socket, serverSocket: Socket, hello: Buffer): void {
  serverSocket.on('error', () => browserSocket.destroy()).on('close', () => browserSocket.destroy());
  browserSocket.on('close', () => serverSocket.destroy());
  serverSocket.on('connect', () => {
    serverSocket.write(hello);
    browserSocket.pipe(serverSocket);
    serverSocket.pipe(browserSocket);
  });
}

/** `requests`: HTTPS. `socket`: a WebSocket, with or without TLS. */
type TunnelKind = 'requests' | 'socket' | 'unknown';

/** Returns undefined until there are enough bytes. Browsers offer h2 for requests, but only http/1.1 for a WebSocket. */
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

/**
 * Returns the ALPN protocols in a TLS ClientHello (RFC 8446 §4.1.2, RFC 7301), or undefined when the bytes are no valid
 * ClientHello.
 */
function readOfferedProtocols(hello: Buffer): string[] | undefined {
  try {
    if (hello[0] !== 1) return undefined;
    let offset = 4 + 2 + 32;
    offset += 1 + hello.readUInt8(offset);
    offset += 2 + hello.readUInt16BE(offset);
    offset += 1 + hello.readUInt8(offset);
    const end = offset + 2 + hello.readUInt16BE(offset);
    offset += 2;
    while (offset + 4 <= end) {
      const [type, length] = [hello.readUInt16BE(offset), hello.readUInt16BE(offset + 2)];
      if (type === 16) return readProtocolNames(hello.subarray(offset + 6, offset + 4 + length));
      offset += 4 + length;
    }
    return [];
  } catch {
    // RangeError: the message is cut.
    return undefined;
  }
}

function readProtocolNames(list: Buffer): string[] {
  const names: string[] = [];
  for (let offset = 0; offset < list.length; ) {
    const length = list.readUInt8(offset);
    names.push(list.subarray(offset + 1, offset + 1 + length).toString('latin1'));
    offset += 1 + length;
  }
  return names;
}
