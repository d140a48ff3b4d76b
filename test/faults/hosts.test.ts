// F22: the proxy of the browser does not connect to private addresses, in any spelling and from any kind of request.
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { connect as startTls } from 'node:tls';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { admitHost, explainNotPublic, isPrivateAddress } from '../../src/formats/flowSpec/network/privateHosts.js';
import { type GuardProxy, openProxy, type ProxyRules } from '../../src/formats/flowSpec/network/proxy.js';

const hits: string[] = [];
const canary = createServer(({ method, url }, response) => {
  hits.push(`${method} ${url}`);
  response.end('canary');
});
canary.on('connection', () => hits.push('connection'));
await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
canary.unref();
const { port } = canary.address() as AddressInfo;
const proxies: GuardProxy[] = [];
afterEach(() => void hits.splice(0));
afterAll(async () => {
  await Promise.all(proxies.map((each) => each.close()));
  canary.close();
});

const refused: string[] = [];
async function proxyWith(rules: Partial<ProxyRules> = {}): Promise<number> {
  refused.splice(0);
  const proxy = await openProxy({
    ...{
      allowPrivateHosts: [],
      mayLoad: () => true,
      maySocket: () => true,
      onRefused: (url, why) => void refused.push(`${url}: ${why}`),
    },
    ...rules,
  });
  proxies.push(proxy);
  return Number(new URL(proxy.server).port);
}

/** Sends an HTTP request through the proxy, and returns the status. */
function requestStatus(proxyPort: number, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { host: new URL(url).host };
    const sent = request({ host: '127.0.0.1', port: proxyPort, path: url, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });
}

/** Opens a tunnel through the proxy, sends the first bytes, and returns everything that comes back. */
function sendThroughTunnel(proxyPort: number, authority: string, first: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(proxyPort, '127.0.0.1', () =>
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`),
    );
    socket.on('data', (bytes) => {
      if (received === '') socket.write(first);
      received += String(bytes);
      if (received.includes('canary')) socket.end();
    });
    socket.on('close', () => resolve(received)).on('error', () => resolve(received));
  });
}

/** Begins a TLS handshake through a tunnel and waits until it fails, since the canary does not speak TLS. */
function startHandshake(proxyPort: number, offered: readonly string[] | undefined): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(proxyPort, '127.0.0.1', () => socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`));
    socket.once('data', () => {
      const options = { socket, servername: 'example.com', ...(offered ? { ALPNProtocols: [...offered] } : {}) };
      const secure = startTls(options);
      secure.on('error', () => secure.destroy()).on('close', () => resolve());
    });
  });
}

const spellings = [
  ...['127.0.0.1', '127.1', '0x7f.0.0.1', '0177.0.0.1', '2130706433', '0x7f000001', '127.0.0.1.', '[::1]', '[::ffff:127.0.0.1]'],
  ...[
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:0:0:1]',
    '0.0.0.0',
    '①②⑦.⓪.⓪.①',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    '[64:ff9b::7f00:1]',
  ],
];

describe('F22 the proxy', () => {
  test.for(spellings)('the proxy does not connect to this machine with the spelling %s', async (host) => {
    const proxyPort = await proxyWith();
    const url = new URL(`http://${host}:${port}/`).href;
    expect([
      await requestStatus(proxyPort, url),
      await sendThroughTunnel(proxyPort, `${host.normalize('NFKC')}:${port}`, 'GET / HTTP/1.1\r\n\r\n'),
    ]).toEqual([403, 'HTTP/1.1 200 Connection established\r\n\r\n']);
    expect(hits).toEqual([]);
    expect(refused.join()).toContain('allowPrivateHosts');
  });

  test('the proxy connects to an allowed private host, which proves that the canary detects requests', async () => {
    const proxyPort = await proxyWith({ allowPrivateHosts: [`127.0.0.1:${port}`] });
    expect(await requestStatus(proxyPort, `http://127.0.0.1:${port}/allowed`)).toBe(200);
    expect(await sendThroughTunnel(proxyPort, `127.0.0.1:${port}`, 'GET /dug HTTP/1.1\r\nhost: a\r\n\r\n')).toContain('canary');
    expect(hits.filter((hit) => hit !== 'connection')).toEqual(['GET /allowed', 'GET /dug']);
  });

  test('allowPrivateHosts allows one port of a host and no other port', () => {
    const rules = { allowPrivateHosts: ['localhost:3000'] };
    expect(explainNotPublic('http://localhost:3000/', rules)).toBeUndefined();
    expect(explainNotPublic('http://localhost:3001/', rules)).toContain('not public');
  });

  test('the proxy refuses a public name when one of its addresses is private', async () => {
    const proxyPort = await proxyWith({ lookup: async () => ['93.184.215.14', '127.0.0.1'] });
    expect(await requestStatus(proxyPort, `http://rebind.example.com:${port}/`)).toBe(403);
    expect(hits).toEqual([]);
  });

  test('the proxy connects to the address that it has checked, and does not resolve the name again', async () => {
    let lookups = 0;
    const lookup = async (): Promise<string[]> => (lookups++ === 0 ? ['203.0.114.1'] : ['127.0.0.1']);
    const rules = { allowPrivateHosts: [], lookup };
    expect(await admitHost(new URL('http://rebind.example.com/'), rules)).toEqual({ address: '203.0.114.1' });
    expect(lookups).toBe(1);
    expect(await admitHost(new URL('http://rebind.example.com/'), rules)).toMatchObject({
      refused: expect.stringContaining('127.0.0.1'),
    });
  });

  test('a plain WebSocket connects only to the hosts of the flow', async () => {
    const proxyPort = await proxyWith({ allowPrivateHosts: true, maySocket: () => false });
    expect(
      await sendThroughTunnel(proxyPort, `127.0.0.1:${port}`, 'GET /chat HTTP/1.1\r\nupgrade: websocket\r\n\r\n'),
    ).not.toContain('canary');
    expect(refused).toEqual([`ws://127.0.0.1:${port}/chat: a WebSocket may only connect to the hosts of the flow`]);
    expect(hits).toEqual([]);
  });

  test.for([
    [['h2', 'http/1.1'], true],
    [['http/1.1'], false],
    [undefined, false],
  ] as const)('the proxy recognises a WebSocket over TLS by its ALPN protocols: %j', async ([offered, passes]) => {
    const proxyPort = await proxyWith({ allowPrivateHosts: true, maySocket: () => false });
    await startHandshake(proxyPort, offered);
    expect([hits, refused]).toEqual(
      passes ? [['connection'], []] : [[], [`wss://127.0.0.1:${port}/: a WebSocket may only connect to the hosts of the flow`]],
    );
  });

  test.for([
    ...['10.1.2.3', '100.64.0.1', '169.254.169.254', '172.31.0.1', '192.168.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...['::', 'fe80::1', 'fd00::1', '2002:7f00:1::', '2001:0:7f00:1::', 'not an address'],
  ])('the address %s is private', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  test.for(['93.184.215.14', '8.8.8.8', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '172.32.0.1', '100.128.0.1'])(
    'the address %s is public',
    (address) => {
      expect(isPrivateAddress(address)).toBe(false);
    },
  );

  test.for([
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://intranet/',
    'http://nas.local/',
    'no url',
  ])('the URL %s is not a public web address', (url) => {
    expect(explainNotPublic(url, { allowPrivateHosts: [] })).toBeDefined();
  });
});
