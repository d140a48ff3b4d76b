// http.request with real servers.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runRecipe } from '../../../src/hosts/plain/runRecipe.js';
import { strikingClock, strikingMs } from '../../support/eventDrivenClock.js';
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
  test('gives status, headers, body and the JSON of the response', async () => {
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

  test.for(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'GET'])('is sent with the method %s', async (method) => {
    const { url, received } = await testServer();
    await request({ url, method });
    expect(received[0]?.method).toBe(method);
  });

  test('sends JSON with its content type, and text as it is', async () => {
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

  test('with the status 500 does not fail, and an assertion over the status does', async () => {
    const { url } = await testServer((_, response) => void response.writeHead(500).end('broken'));
    expect((await request({ url })).output).toMatchObject({ status: 500, ok: false, body: 'broken' });
    const { summary } = await request({ url, assert: { path: '$.status', operator: 'eq', value: 200 } });
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
  });

  test('gives no JSON for a response that only says it is JSON', async () => {
    const { url } = await testServer(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
    );
    const { output } = await request({ url });
    expect(output).toMatchObject({ body: '{' });
    expect(output).not.toHaveProperty('json');
  });

  test('reads a text in the charset of the response', async () => {
    const { url } = await testServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' }).end(Buffer.from('caf\xe9', 'latin1'));
    });
    expect((await request({ url })).output.body).toBe('café');
  });

  test('keeps the cookies of a response out of the package, and lets assertions read them', async () => {
    const { url } = await testServer(
      (_, response) => void response.writeHead(200, { 'set-cookie': 'session=tellnobody' }).end('in'),
    );
    const { output, summary } = await request({ url, assert: { path: "$.headers['set-cookie']", operator: 'exists' } });
    expect([output.headers['set-cookie'], output.body, summary.status]).toEqual(['[left out]', 'in', 'pass']);
  });

  test('of 50 MB is cut on record, counted as truncated, and kept as a log of 10 MB', async () => {
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

  test('whose response is truncated proves no absence', async () => {
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
  test('of the config is what a path is below', async () => {
    const { url, received } = await testServer();
    const { output } = await request({ url: '/orders/1' }, { browser: { baseURL: url } });
    expect([output.url, received[0]?.url]).toEqual([`${url}/orders/1`, '/orders/1']);
  });

  test('that holds a user name and a password sends and shows neither', async () => {
    const { url, received, host } = await testServer();
    const { output } = await request({ url: '/x' }, { browser: { baseURL: `http://me:hunter2@${host}` } });
    expect([output.url, received[0]?.headers.authorization]).toEqual([`${url}/x`, undefined]);
    const refused = await request({ url: 'http://other.test' }, { browser: { baseURL: `http://me:hunter2@${host}` } });
    expect(refused.entry?.error).toContain(`The base URL is ${url}/`);
    expect(refused.entry?.error).not.toContain('hunter2');
  });

  test('is missing: a path is refused with the settings that give one', async () => {
    const { entry } = await request({ url: '/orders' });
    expect(entry?.error).toMatch(/"\/orders" is a path, and the run has no base URL.*--base-url/);
  });

  test.for(['ftp://127.0.0.1/x', 'localhost:3000/x', 'file:///etc/passwd'])(
    'does not help an address that is not HTTP: %s',
    async (url) => {
      expect((await request({ url })).entry?.error).toContain('is not an HTTP address');
    },
  );
});

describe('a request that gets no response', () => {
  test('because nothing listens fails with the address, the cause and what to do', async () => {
    const { port, close } = await listenHere(createHttpServer());
    close();
    const { entry, summary } = await request({ url: `http://127.0.0.1:${port}/x` });
    expect(entry?.error).toBe(
      `GET http://127.0.0.1:${port}/x failed: nothing accepts connections there (ECONNREFUSED). Is the server running there?`,
    );
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
  });

  test('because its host has no address fails with the name', async () => {
    const { entry } = await request({ url: 'http://nothing.invalid/' }, { http: { allowHosts: true } });
    expect(entry?.error).toMatch(/^GET http:\/\/nothing\.invalid\/ failed: .*(ENOTFOUND|EAI_AGAIN)/);
  });

  test('because the server closes the connection fails with that cause', async () => {
    const server = createServer((socket) => socket.on('data', () => socket.destroy()));
    const { port } = await listenHere(server as never);
    onTestFinished(() => void server.close());
    expect((await request({ url: `http://127.0.0.1:${port}/` })).entry?.error).toContain('the server closed the connection');
  });

  test.for([
    ['sends nothing', false, 'the server sent no response in time'],
    ['stops in the middle of its response', true, 'the server answered 200, but did not end its response in time'],
  ] as const)('because the server %s fails at the timeout of the node, which it names', async ([, begins, words]) => {
    let noticed = (): void => undefined;
    const arrival = new Promise<void>((resolve) => {
      noticed = resolve;
    });
    const { url } = await testServer((_, response) => {
      if (begins) response.write('half', () => setTimeout(noticed, 200));
      else noticed();
    });
    const recipe = recipeOf({ first: { action: 'http.request', url, timeout_ms: strikingMs, next: 'done' } });
    const { trace, summary } = await runPlain(
      recipe,
      {},
      strikingClock(() => arrival),
    );
    expect(trace[0]?.error).toContain(`The node did not finish within ${strikingMs} ms.`);
    expect(trace[0]?.error).toContain(`GET ${url}/: ${words}`);
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
  });
});

describe('the hosts that a request may reach', () => {
  test('are this machine alone where there is no base URL', async () => {
    const { entry } = await request({ url: 'http://shop.example.com/' });
    expect(entry?.error).toBe(
      'GET http://shop.example.com/: the host shop.example.com is not admitted. There is no base URL, so only this machine is admitted. To admit it, write http: { allowHosts: ["shop.example.com"] } in recipewright.config.',
    );
  });

  test('do not include another port of the base URL, unless the config admits it', async () => {
    const [base, other] = [await testServer(), await testServer()];
    const refused = await request({ url: other.url }, { browser: { baseURL: base.url }, http: { allowHosts: ['a.test'] } });
    expect(refused.entry?.error).toContain(`http: { allowHosts: ["a.test","${other.host}"] }`);
    expect(other.received).toEqual([]);
    const admitted = await request({ url: other.url }, { browser: { baseURL: base.url }, http: { allowHosts: [other.host] } });
    expect(admitted.output.status).toBe(200);
  });

  test('are all of them with true', async () => {
    const [base, other] = [await testServer(), await testServer()];
    const { output } = await request({ url: other.url }, { browser: { baseURL: base.url }, http: { allowHosts: true } });
    expect(output.status).toBe(200);
  });

  test('are named in the config as hosts, not as addresses', async () => {
    await expect(request({ url: '/' }, { http: { allowHosts: ['http://a.test/'] } })).rejects.toThrow(/must be a host such as/);
  });
});

describe('a redirect', () => {
  const redirectTo = (location: string, status = 302) =>
    testServer((one, response) => {
      if (one.url === '/here') response.end('arrived');
      else response.writeHead(status, { location }).end();
    });

  test('is followed to an admitted host, and the output has the address at its end', async () => {
    const { url } = await redirectTo('/here');
    expect((await request({ url })).output).toMatchObject({ status: 200, url: `${url}/here`, body: 'arrived' });
  });

  test('to a host that is not admitted is refused before anything is sent there', async () => {
    const [base, other] = [
      await testServer((_, response) => void response.writeHead(302, { location: other.url }).end()),
      await testServer(),
    ];
    const { entry } = await request({ url: '/' }, { browser: { baseURL: base.url } });
    expect(entry?.error).toContain(`GET ${base.url}/ redirects to ${other.url}: the host ${other.host} is not admitted.`);
    expect(other.received).toEqual([]);
  });

  test('is the response itself with "follow_redirects": false', async () => {
    const { url } = await redirectTo('/here', 307);
    expect((await request({ url, follow_redirects: false })).output).toMatchObject({
      status: 307,
      headers: { location: '/here' },
    });
  });

  test('in a circle ends with an error', async () => {
    const { url } = await redirectTo('/round');
    expect((await request({ url })).entry?.error).toContain('was redirected more than 20 times');
  });

  test.for([
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'x'],
    [308, 'POST', 'x'],
  ] as const)('of the status %d sends a POST on as %s', async ([status, method, body]) => {
    const { url, received } = await redirectTo('/here', status);
    await request({ url, method: 'POST', text: 'x' });
    expect(received[1]).toMatchObject({ method, body });
  });

  test('to another origin takes along neither credentials nor secrets', async () => {
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
    const kept = await request(body, { ...settings, browser: { baseURL: other307.url } }, { inputs });
    expect(kept.entry?.error).toContain('the body holds a secret, which another origin must not get');
    expect(other.received.length).toBe(1);
    const lost = await request({ url: '/', method: 'POST', text: '{{inputs.token}}' }, settings, { inputs });
    expect(lost.output.status).toBe(200);
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

  test('goes into headers, JSON and body, and is masked in what comes back', async () => {
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

  test('is masked in a long body, even where it is cut', async () => {
    const { url } = await testServer((_, response) => void response.end(`${secret} `.repeat(600_000)));
    const { result, read } = await runIn({ url, timeout_ms: 600_000 });
    expect(result).toMatchObject({ ran: true, verdict: 'pass' });
    expect(read('logs/first.body.log').slice(0, 40)).toContain('[secret:token] [secret:token]');
    expect(read('logs/first.body.log')).not.toMatch(/hush-hush|42-abcdef/);
  });

  test('is refused in the address', async () => {
    const { result } = await runIn({ url: 'http://127.0.0.1/?key={{inputs.token}}' });
    expect(result.findings.map(({ code }) => code)).toContain('inputs.secret_misplaced');
  });

  test.for(['http://me:pw@127.0.0.1/', 'http://me@127.0.0.1/'])(
    'in the form of credentials is refused in the address: %s',
    async (url) => {
      await expect(request({ url })).rejects.toThrow(/must not hold a user name or password/);
    },
  );

  test('in the form of credentials is refused when the address comes from an input', async () => {
    const { entry } = await request({ url: '{{inputs.where}}' }, {}, { inputs: { where: 'http://me:hunter2@127.0.0.1/' } });
    expect(entry?.error).toContain('must not hold a user name or password');
    expect(entry?.error).not.toContain('hunter2');
  });
});

describe('the checks of a request', () => {
  test.for([
    [{ json: {}, text: 'x', method: 'POST' }, 'one of "json" and "text", not both'],
    [{ text: 'x' }, 'a method that sends a body, such as POST: GET sends none'],
    [{ json: {}, method: 'HEAD' }, 'HEAD sends none'],
    [{ method: 'TRACE' }, '"method"'],
    [{ headers: { a: 1 } }, '"headers.a"'],
  ] as const)('refuse %j', async ([node, words]) => {
    await expect(request({ url: 'http://127.0.0.1/', ...node })).rejects.toThrow(words);
  });
});
