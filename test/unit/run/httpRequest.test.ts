// http.request sends requests to real servers.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runRecipe } from '../../../src/hosts/plain/runRecipe.js';
import { eventDrivenClock, eventDrivenMs } from '../../support/eventDrivenClock.js';
import { listenHere } from '../../support/listen.js';
import { type Nodes, recipeOf, runPlain } from '../../support/plain.js';
import { sendJson, testServer } from '../../support/testServer.js';

type Output = { status: number; ok: boolean; url: string; headers: Record<string, string>; body: string; json?: unknown };

const config = (settings: object) => ({ 'recipewright.config.mjs': `export default ${JSON.stringify(settings)};` });

async function request(node: object, settings: object = {}, rest: Record<string, unknown> = {}) {
  const recipe = recipeOf({ first: { action: 'http.request', next: 'done', ...node } }, rest);
  const run = await runPlain(recipe, config(settings));
  return { ...run, entry: run.trace[0], output: run.trace[0]?.output as Output };
}

describe('an HTTP request', () => {
  test('an HTTP request returns the status, headers, body and JSON of the response', async () => {
    const { url } = await testServer((_, response) => sendJson(response, { state: 'paid' }, 201));
    const { output, entry, summary } = await request({ url: `${url}/a?b=c` });
    expect(output).toMatchObject({
      status: 201,
      ok: true,
      url: `${url}/a?b=c`,
      json: { state: 'paid' },
      body: '{"state":"paid"}',
    });
    expect(output.headers['content-type']).toBe('application/json');
    expect(output).toHaveProperty('durationMs', expect.any(Number));
    expect([entry?.artifacts, summary.status]).toEqual([undefined, 'pass']);
  });

  test.for(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'GET'])(
    'an HTTP request is sent with the method %s',
    async (method) => {
      const { url, received } = await testServer();
      await request({ url, method });
      expect(received[0]?.method).toBe(method);
    },
  );

  test('an HTTP request sends JSON with its content type, and text unchanged', async () => {
    const { url, received } = await testServer();
    await request({ url, method: 'POST', json: { list: [1, null] } });
    await request({ url, method: 'POST', json: null, headers: { 'Content-Type': 'application/vnd.x+json' } });
    await request({ url, method: 'PUT', text: 'plain é', headers: { 'x-one': '1' } });
    expect(received.map(({ body }) => body)).toEqual(['{"list":[1,null]}', 'null', 'plain é']);
    expect(received.map(({ headers }) => headers['content-type'])).toEqual([
      'application/json',
      'application/vnd.x+json',
      'text/plain;charset=UTF-8',
    ]);
    expect(received[2]?.headers['x-one']).toBe('1');
  });

  test('an HTTP request with the status 500 passes, and an assertion on the status fails', async () => {
    const { url } = await testServer((_, response) => void response.writeHead(500).end('broken'));
    expect((await request({ url })).output).toMatchObject({ status: 500, ok: false, body: 'broken' });
    const { summary } = await request({ url, assert: { path: '$.status', operator: 'eq', value: 200 } });
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
  });

  test('an HTTP request returns no JSON for a JSON content type with an invalid body', async () => {
    const { url } = await testServer(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
    );
    const { output } = await request({ url });
    expect(output).toMatchObject({ body: '{' });
    expect(output).not.toHaveProperty('json');
  });

  test('an HTTP request decodes the body with the charset of the response', async () => {
    const { url } = await testServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' }).end(Buffer.from('caf\xe9', 'latin1'));
    });
    expect((await request({ url })).output.body).toBe('café');
  });

  test('assertions can read the cookies of a response, but the package does not contain them', async () => {
    const { url } = await testServer(
      (_, response) => void response.writeHead(200, { 'set-cookie': 'session=s3cr3t-cookie' }).end('in'),
    );
    const { output, summary } = await request({ url, assert: { path: "$.headers['set-cookie']", operator: 'exists' } });
    expect([output.headers['set-cookie'], output.body, summary.status]).toEqual(['[left out]', 'in', 'pass']);
  });

  test('a response of 50 MB is truncated in the journal, and the package has a log of 10 MB', async () => {
    const { url } = await testServer((_, response) => {
      response.write('HEAD');
      response.write(Buffer.alloc(50_000_000, 'x'));
      response.end('TAIL');
    });
    const { output, entry, summary } = await request({ url, timeout_ms: 600_000 });
    expect(output).toMatchObject({ wasTruncated: true, body: expect.stringMatching(/^HEADx+\n… \d+ bytes left out …\nx+TAIL$/) });
    expect(Buffer.byteLength(output.body)).toBeLessThanOrEqual(64_000);
    expect([entry?.artifacts, summary.status]).toEqual([['logs/first.body.log'], 'pass']);
  });

  test('a truncated response cannot prove that a text is absent', async () => {
    const { url } = await testServer((_, response) => void response.end(Buffer.alloc(11_000_000, 'x')));
    const nodes: Nodes = {
      first: { action: 'http.request', url, timeout_ms: 600_000, next: 'look' },
      look: {
        action: 'assert_output',
        source: 'first',
        stream: 'body',
        assert: { operator: 'not_contains', value: 'error' },
        next: 'done',
      },
    };
    expect((await runPlain(recipeOf(nodes))).summary.status).toBe('unknown');
  });
});

describe('the base URL', () => {
  test('a path is relative to the base URL of the config', async () => {
    const { url, received } = await testServer();
    const { output } = await request({ url: '/orders/1' }, { browser: { baseURL: url } });
    expect([output.url, received[0]?.url]).toEqual([`${url}/orders/1`, '/orders/1']);
  });

  test('the user name and password of a base URL are neither sent nor shown', async () => {
    const { url, received, host } = await testServer();
    const { output } = await request({ url: '/x' }, { browser: { baseURL: `http://me:hunter2@${host}` } });
    expect([output.url, received[0]?.headers.authorization]).toEqual([`${url}/x`, undefined]);
    const refused = await request({ url: 'http://other.test' }, { browser: { baseURL: `http://me:hunter2@${host}` } });
    expect(refused.entry?.error).toContain(`The base URL of the run is ${url}/`);
    expect(refused.entry?.error).not.toContain('hunter2');
  });

  test('without a base URL, a path is refused, and the error names the settings for a base URL', async () => {
    const { entry } = await request({ url: '/orders' });
    expect(entry?.error).toMatch(/"\/orders" is a path, but the run has no base URL.*--base-url/);
  });

  test.for(['ftp://127.0.0.1/x', 'localhost:3000/x', 'file:///etc/passwd'])(
    'a URL that is not HTTP is refused: %s',
    async (url) => {
      expect((await request({ url })).entry?.error).toContain('is not an HTTP URL');
    },
  );
});

describe('a request that gets no response', () => {
  test('a request to a port without a server fails, and the error has the URL, the cause and advice', async () => {
    const { port, close } = await listenHere(createHttpServer());
    close();
    const { entry, summary } = await request({ url: `http://127.0.0.1:${port}/x` });
    expect(entry?.error).toBe(
      `GET http://127.0.0.1:${port}/x failed: no server accepts connections on this port (ECONNREFUSED). Check that the server is running.`,
    );
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
  });

  test('a request to a host without an IP address fails, and the error has the host name', async () => {
    const { entry } = await request({ url: 'http://nothing.invalid/' }, { http: { allowHosts: true } });
    expect(entry?.error).toMatch(/^GET http:\/\/nothing\.invalid\/ failed: .*(ENOTFOUND|EAI_AGAIN)/);
  });

  test('a request fails when the server closes the connection, and the error says so', async () => {
    const server = createServer((socket) => socket.on('data', () => socket.destroy()));
    const { port } = await listenHere(server as never);
    onTestFinished(() => void server.close());
    expect((await request({ url: `http://127.0.0.1:${port}/` })).entry?.error).toContain('the server closed the connection');
  });

  test.for([
    ['sends nothing', false, 'the server sent no response in time'],
    ['stops in the middle of its response', true, 'the server sent the status 200, but not its whole response in time'],
  ] as const)(
    'a request to a server that %s fails at the timeout of the node, which the error names',
    async ([, sendsHalf, message]) => {
      let announce = (): void => undefined;
      const arrival = new Promise<void>((resolve) => {
        announce = resolve;
      });
      const { url } = await testServer((_, response) => {
        if (sendsHalf) response.write('half', () => setTimeout(announce, 200));
        else announce();
      });
      const recipe = recipeOf({ first: { action: 'http.request', url, timeout_ms: eventDrivenMs, next: 'done' } });
      const { trace, summary } = await runPlain(
        recipe,
        {},
        eventDrivenClock(() => arrival),
      );
      expect(trace[0]?.error).toContain(`The node did not finish within ${eventDrivenMs} ms.`);
      expect(trace[0]?.error).toContain(`GET ${url}/: ${message}`);
      expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
    },
  );
});

describe('the hosts that a request may reach', () => {
  test('without a base URL, a request may reach only this machine', async () => {
    const { entry } = await request({ url: 'http://shop.example.com/' });
    expect(entry?.error).toBe(
      'GET http://shop.example.com/: the host shop.example.com is not admitted. The run has no base URL, so only this machine is admitted. To admit the host, set http: { allowHosts: ["shop.example.com"] } in recipewright.config.',
    );
  });

  test('a request may reach another port of the host of the base URL only if the config admits that port', async () => {
    const [base, other] = [await testServer(), await testServer()];
    const refused = await request({ url: other.url }, { browser: { baseURL: base.url }, http: { allowHosts: ['a.test'] } });
    expect(refused.entry?.error).toContain(`http: { allowHosts: ["a.test","${other.host}"] }`);
    expect(other.received).toEqual([]);
    const admitted = await request({ url: other.url }, { browser: { baseURL: base.url }, http: { allowHosts: [other.host] } });
    expect(admitted.output.status).toBe(200);
  });

  test('with "allowHosts": true, a request may reach every host', async () => {
    const [base, other] = [await testServer(), await testServer()];
    const { output } = await request({ url: other.url }, { browser: { baseURL: base.url }, http: { allowHosts: true } });
    expect(output.status).toBe(200);
  });

  test('the config refuses a URL in "allowHosts"', async () => {
    await expect(request({ url: '/' }, { http: { allowHosts: ['http://a.test/'] } })).rejects.toThrow(/must be a host such as/);
  });
});

describe('a redirect', () => {
  const redirectTo = (location: string, status = 302) =>
    testServer((one, response) => {
      if (one.url === '/here') response.end('arrived');
      else response.writeHead(status, { location }).end();
    });

  test('a redirect to an admitted host is followed, and the output has the last URL', async () => {
    const { url } = await redirectTo('/here');
    expect((await request({ url })).output).toMatchObject({ status: 200, url: `${url}/here`, body: 'arrived' });
  });

  test('a redirect to a host that is not admitted is refused before any request is sent there', async () => {
    const [base, other] = [
      await testServer((_, response) => void response.writeHead(302, { location: other.url }).end()),
      await testServer(),
    ];
    const { entry } = await request({ url: '/' }, { browser: { baseURL: base.url } });
    expect(entry?.error).toContain(`GET ${base.url}/ redirects to ${other.url}: the host ${other.host} is not admitted.`);
    expect(other.received).toEqual([]);
  });

  test('with "follow_redirects": false, the redirect itself is the response', async () => {
    const { url } = await redirectTo('/here', 307);
    expect((await request({ url, follow_redirects: false })).output).toMatchObject({
      status: 307,
      headers: { location: '/here' },
    });
  });

  test('a redirect loop fails', async () => {
    const { url } = await redirectTo('/round');
    expect((await request({ url })).entry?.error).toContain('was redirected more than 20 times');
  });

  test.for([
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'x'],
    [308, 'POST', 'x'],
  ] as const)('after a redirect with the status %d, a POST becomes a %s', async ([status, method, body]) => {
    const { url, received } = await redirectTo('/here', status);
    await request({ url, method: 'POST', text: 'x' });
    expect(received[1]).toMatchObject({ method, body });
  });

  test('after a redirect to another origin, neither credentials nor secrets are sent', async () => {
    process.env.HTTP_TEST_TOKEN = 'tok-8c1f-verysecret';
    onTestFinished(() => void delete process.env.HTTP_TEST_TOKEN);
    const other = await testServer();
    const base = await testServer((_, response) => void response.writeHead(302, { location: other.url }).end());
    const headers = { authorization: 'Basic x', 'x-key': 'k {{inputs.token}}', 'x-plain': 'stays' };
    const settings = { browser: { baseURL: base.url }, http: { allowHosts: [other.host] } };
    const inputs = { token: { type: 'secret-ref', ref: 'env:HTTP_TEST_TOKEN' } };
    await request({ url: '/', headers }, settings, { inputs });
    expect(base.received[0]?.headers).toMatchObject({ authorization: 'Basic x', 'x-key': 'k tok-8c1f-verysecret' });
    expect(other.received[0]?.headers).toMatchObject({ 'x-plain': 'stays' });
    expect(Object.keys(other.received[0]?.headers ?? {})).not.toContain('x-key');
    expect(Object.keys(other.received[0]?.headers ?? {})).not.toContain('authorization');
    const other307 = await testServer((_, response) => void response.writeHead(307, { location: other.url }).end());
    const body = { url: '/', method: 'POST', text: '{{inputs.token}}' };
    const refused = await request(body, { ...settings, browser: { baseURL: other307.url } }, { inputs });
    expect(refused.entry?.error).toContain('the body contains a secret, which must not be sent to another origin');
    expect(other.received.length).toBe(1);
    const withoutBody = await request({ url: '/', method: 'POST', text: '{{inputs.token}}' }, settings, { inputs });
    expect(withoutBody.output.status).toBe(200);
  });
});

describe('a secret', () => {
  const inputs = { token: { type: 'secret-ref', ref: 'env:HTTP_TEST_SECRET' } };
  const secret = 'hush-hush-42-abcdef';

  async function runIn(node: object) {
    process.env.HTTP_TEST_SECRET = secret;
    onTestFinished(() => void delete process.env.HTTP_TEST_SECRET);
    const root = mkdtempSync(join(tmpdir(), 'recipewright-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const recipe = recipeOf({ first: { action: 'http.request', next: 'done', ...node } }, { inputs });
    writeFileSync(join(root, 'a.recipe.json'), JSON.stringify(recipe));
    const result = await runRecipe(join(root, 'a.recipe.json'), { artifactsDir: join(root, 'out'), projectRoot: root });
    return { result, read: (name: string) => readFileSync(join(root, 'out', name), 'utf8') };
  }

  test('a request can send a secret in its headers and its JSON, and the response is masked', async () => {
    const { url, received } = await testServer((one, response) =>
      sendJson(response, { echo: [one.body, one.headers.authorization] }),
    );
    const node = {
      url,
      method: 'POST',
      headers: { authorization: 'Bearer {{inputs.token}}' },
      json: { deep: ['{{inputs.token}}'] },
    };
    const { result, read } = await runIn(node);
    expect(received[0]).toMatchObject({ headers: { authorization: `Bearer ${secret}` }, body: `{"deep":["${secret}"]}` });
    expect(result).toMatchObject({ ran: true, verdict: 'pass' });
    expect(read('trace.json')).toContain('[secret:token]');
    for (const file of ['journal.jsonl', 'trace.json', 'review.html']) expect(read(file)).not.toContain(secret);
  });

  test('a secret is masked in a long body, even at the place where the body is truncated', async () => {
    const { url } = await testServer((_, response) => void response.end(`${secret} `.repeat(600_000)));
    const { result, read } = await runIn({ url, timeout_ms: 600_000 });
    expect(result).toMatchObject({ ran: true, verdict: 'pass' });
    expect(read('logs/first.body.log').slice(0, 40)).toContain('[secret:token] [secret:token]');
    expect(read('logs/first.body.log')).not.toMatch(/hush-hush|42-abcdef/);
  });

  test('a secret in the URL is refused', async () => {
    const { result } = await runIn({ url: 'http://127.0.0.1/?key={{inputs.token}}' });
    expect(result.findings.map(({ code }) => code)).toContain('inputs.secret_misplaced');
  });

  test.for(['http://me:pw@127.0.0.1/', 'http://me@127.0.0.1/'])('credentials in the URL are refused: %s', async (url) => {
    await expect(request({ url })).rejects.toThrow(/must not contain a user name or password/);
  });

  test('credentials in a URL from an input are refused, and the error does not contain them', async () => {
    const { entry } = await request({ url: '{{inputs.where}}' }, {}, { inputs: { where: 'http://me:hunter2@127.0.0.1/' } });
    expect(entry?.error).toContain('must not contain a user name or password');
    expect(entry?.error).not.toContain('hunter2');
  });
});

describe('the checks of a request', () => {
  test.for([
    [{ json: {}, text: 'x', method: 'POST' }, 'only one of "json" and "text"'],
    [{ text: 'x' }, 'a method with a body, such as POST, because GET sends no body'],
    [{ json: {}, method: 'HEAD' }, 'HEAD sends no body'],
    [{ method: 'TRACE' }, '"method"'],
    [{ headers: { a: 1 } }, '"headers.a"'],
  ] as const)('http.request with %j is refused', async ([node, message]) => {
    await expect(request({ url: 'http://127.0.0.1/', ...node })).rejects.toThrow(message);
  });
});
