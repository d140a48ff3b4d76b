// service.start, service.stop and service.wait_log run real processes.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type RunOptions, runRecipe } from '../../../src/hosts/plain/runRecipe.js';
import { verifyPackage } from '../../../src/verify/verifyPackage.js';
import { eventDrivenMs, whenReady } from '../../support/eventDrivenClock.js';
import { isAlive } from '../../support/isAlive.js';
import { listenHere } from '../../support/listen.js';
import { type Nodes, recipeOf } from '../../support/plain.js';

/** Responds to every request with its path. The first request for `/health` gets the status 503. */
const server = `
  import { createServer } from 'node:http';
  let asked = 0;
  console.log('token ' + process.env.TOKEN);
  const answer = (request, response) => {
    console.log('asked for ' + request.url);
    if (request.url === '/die') process.exit(3);
    if (request.url === '/health') response.statusCode = ++asked < 2 ? 503 : 404;
    response.end('you asked for ' + request.url);
  };
  createServer(answer).listen(Number(process.env.PORT ?? process.env.WEB_PORT), '127.0.0.1', () => console.log('listening'));
`;

const stubborn = `process.on('SIGTERM', () => console.log('never')); console.log('up'); setInterval(() => {}, 1000);`;

type Issue = { level: string; source: string; message: string };

async function run(nodes: Nodes, rest: Record<string, unknown> = {}, options: Partial<RunOptions> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const files = { 'server.mjs': server, 'stubborn.mjs': stubborn, 'a.recipe.json': JSON.stringify(recipeOf(nodes, rest)) };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const dir = join(root, 'out');
  const result = await runRecipe(join(root, 'a.recipe.json'), { artifactsDir: dir, projectRoot: root, ...options });
  if (!result.ran) throw new Error(result.findings.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  const { summary, trace } = result;
  const read = (name: string): string | undefined =>
    existsSync(join(dir, name)) ? readFileSync(join(dir, name), 'utf8') : undefined;
  const issues = trace.flatMap((entry) => (entry.issues ?? []) as Issue[]);
  const entryOf = (id: string) => trace.find(({ nodeId }) => nodeId === id);
  const outputOf = <T = Record<string, unknown>>(id: string): T => entryOf(id)?.output as T;
  return { dir, summary, trace, issues, read, entryOf, outputOf };
}

type Started = { name: string; pid: number; port: number; url: string };

const web = { action: 'service.start', name: 'web', argv: ['node', 'server.mjs'], port: 'auto' };
const see = (url: object, more: object = {}) => ({ action: 'http.request', url: 'http://x', rw: { in: { url } }, ...more });

describe('a service', () => {
  test('a service is ready when its port accepts connections, and ends with the run, and the package has its log', async () => {
    const { outputOf, read, summary, dir } = await run({
      start: { ...web, next: 'ask' },
      ask: see(
        { source: 'start', path: '$.url' },
        { next: 'done', assert: { path: '$.body', operator: 'eq', value: 'you asked for /' } },
      ),
    });
    const { pid, port, url } = outputOf<Started>('start');
    expect([summary.status, url, outputOf<{ url: string }>('ask').url]).toEqual(['pass', `http://127.0.0.1:${port}`, `${url}/`]);
    expect(isAlive(pid)).toBe(false);
    expect(read('logs/web.log')).toMatch(/listening\nasked for \/\n$/);
    const manifest = JSON.parse(read('artifact-manifest.json') ?? '') as { artifacts: { path: string; nodeId?: string }[] };
    expect(manifest.artifacts).toContainEqual(expect.objectContaining({ path: 'logs/web.log', nodeId: 'start', type: 'log' }));
    expect(await verifyPackage(dir)).toMatchObject({ status: 'verified', verdict: 'pass' });
  });

  test('a service is ready when its path responds with a status below 500', async () => {
    const { read, summary } = await run({ start: { ...web, ready: { url: '/health' }, next: 'done' } });
    expect([summary.status, read('logs/web.log')?.match(/asked for \/health/g)?.length]).toEqual(['pass', 2]);
  });

  test('a service is ready when its output contains a text, and gets its port in the variable that the node names', async () => {
    const { port_env, ...node } = { ...web, port_env: 'WEB_PORT', ready: { log: 'listening' } };
    const { outputOf, summary } = await run({ start: { ...node, port_env, next: 'done' } });
    expect([summary.status, outputOf<Started>('start').port]).toEqual(['pass', expect.any(Number)]);
  });

  test('a service without a port and a condition is ready as soon as it runs', async () => {
    const { outputOf } = await run({ start: { action: 'service.start', cmd: 'sleep 600', next: 'done' } });
    expect(outputOf('start')).toEqual({ name: 'service', pid: expect.any(Number) });
    expect(isAlive(outputOf<Started>('start').pid)).toBe(false);
  });

  test('service.stop returns the output of a command, and the log belongs to its node', async () => {
    const { outputOf, entryOf, summary, read } = await run({
      start: { ...web, next: 'stop' },
      stop: { action: 'service.stop', name: 'web', next: 'look' },
      look: { action: 'assert_output', source: 'stop', contains: 'listening', next: 'again' },
      again: { ...web, next: 'done' },
    });
    expect(outputOf('stop')).toMatchObject({
      name: 'web',
      stopped: true,
      signal: 'SIGTERM',
      stdout: expect.stringContaining('listening'),
    });
    expect([summary.status, entryOf('stop')?.artifacts]).toEqual(['pass', ['logs/web.log']]);
    expect(read('logs/web-2.log')).toContain('listening');
  });

  test('a service that ignores SIGTERM is killed with its child processes', async () => {
    const { outputOf, read, summary } = await run({
      start: { action: 'service.start', cmd: 'node stubborn.mjs & node stubborn.mjs', ready: { log: 'up\nup' }, next: 'done' },
    });
    expect(summary.status).toBe('pass');
    expect(read('logs/service.log')).toContain('never');
    expect(isAlive(outputOf<Started>('start').pid)).toBe(false);
  });

  test('a service ends with a run that fails', async () => {
    const { outputOf, read, summary } = await run({
      start: { ...web, next: 'fail' },
      fail: { action: 'command', cmd: 'exit 1', next: 'done' },
    });
    expect(summary.status).toBe('fail');
    expect([isAlive(outputOf<Started>('start').pid), read('logs/web.log')]).toEqual([
      false,
      expect.stringContaining('listening'),
    ]);
  });

  test('a service is available in teardown, and ends after it', async () => {
    const teardown = [see({ source: 'start', path: '$.url' }, { id: 'last', intent: 'Ask once more at the end' })];
    const { entryOf } = await run({ start: { ...web, next: 'done' } }, { workflow: { teardown } });
    expect(entryOf('last')).toMatchObject({ ok: true, output: { status: 200 } });
  });

  test('a second service with the name of a running service is refused', async () => {
    const { entryOf } = await run({ start: { ...web, next: 'again' }, again: { ...web, next: 'done' } });
    expect(entryOf('again')?.error).toMatch(/The service "web" of the node start is still running/);
  });

  test('the next attempt of a node replaces the service of the failed attempt', async () => {
    const rw = { retry: { max: 1 } };
    const assert = { path: '$.port', operator: 'eq', value: 1 };
    const { summary, entryOf } = await run({ start: { ...web, rw, assert, next: 'done' } });
    expect([summary.status, entryOf('start')?.error]).toEqual(['fail', expect.not.stringContaining('is still running')]);
  });

  test('a service is not started when another process listens on its port', async () => {
    const { port, close } = await listenHere(createServer());
    onTestFinished(close);
    const { entryOf, summary } = await run({ start: { ...web, port, next: 'done' } });
    expect(entryOf('start')?.error).toContain(`Port ${port} of the service "web" is in use by another process`);
    expect(summary).toMatchObject({ status: 'unknown', cause_class: 'environment' });
  });

  test('services of runs at the same time get different ports', async () => {
    const runs = await Promise.all(Array.from({ length: 6 }, () => run({ start: { ...web, next: 'done' } })));
    const ports = runs.map(({ outputOf }) => outputOf<Started>('start').port);
    expect([new Set(ports).size, runs.map(({ summary }) => summary.status)]).toEqual([6, Array(6).fill('pass')]);
  });

  test('requests may reach a service of the run when the base URL has another host', async () => {
    const { summary } = await run(
      { start: { ...web, next: 'ask' }, ask: see({ source: 'start', path: '$.url' }, { next: 'done' }) },
      {},
      { browser: { baseURL: 'http://shop.test' } },
    );
    expect(summary.status).toBe('pass');
  });
});

describe('a service that does not become ready', () => {
  test('the node of a service that exits fails with the exit code and the last lines, and the package has the log', async () => {
    const { entryOf, summary, read } = await run({
      start: { action: 'service.start', name: 'web', cmd: 'echo no database >&2; exit 4', port: 'auto', next: 'done' },
    });
    expect(entryOf('start')?.error).toBe('The service "web" is not ready: it exited with 4.\nno database');
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
    expect(read('logs/web.log')).toBe('no database\n');
  });

  test('a missing program is a fault of the environment', async () => {
    const { summary, entryOf } = await run({ start: { action: 'service.start', argv: ['no-such-program'], next: 'done' } });
    expect(summary).toMatchObject({ status: 'unknown', cause_class: 'environment' });
    expect(entryOf('start')?.error).toContain('there is no program "no-such-program"');
  });

  test('a service that is not ready before the timeout of its node is ended, and the error has the condition', async () => {
    const { clock, ready } = whenReady();
    const cmd = `echo $$; touch ${ready}; exec sleep 600`;
    const node = { action: 'service.start', cmd, ready: { log: 'never' }, timeout_ms: eventDrivenMs, next: 'done' };
    const { entryOf, read } = await run({ start: node }, {}, { clock });
    expect(entryOf('start')?.error).toContain(`The node did not finish within ${eventDrivenMs} ms.`);
    expect(entryOf('start')?.error).toContain('is not ready: its output did not contain "never" in time');
    expect(isAlive(Number(read('logs/service.log')))).toBe(false);
  });
});

describe('a service that ends by itself', () => {
  const nodes = {
    start: { action: 'service.start', name: 'web', cmd: 'read line < go; echo good bye; exit 3', next: 'go' },
    go: { action: 'command', cmd: 'echo x > go; until [ -e gone ]; do sleep 0.05; done', next: 'pause' },
    pause: { action: 'service.wait_log', name: 'web', contains: 'good bye', next: 'wait' },
    wait: { action: 'wait', duration_ms: 1_500, next: 'stop' },
    stop: { action: 'service.stop', name: 'web', next: 'done' },
  };
  const setup = [{ id: 'fifo', action: 'command', intent: 'Make a pipe to the service', cmd: 'mkfifo go; touch gone' }];

  test('a service that ends by itself is an issue of the run, and service.stop reports it', async () => {
    const { issues, outputOf, summary } = await run(nodes, { workflow: { setup } });
    expect(issues).toEqual([
      { level: 'error', source: 'service web', message: 'The service "web" ended by itself: it exited with 3.\ngood bye' },
    ]);
    expect(outputOf('stop')).toMatchObject({ stopped: false, endedByItself: true, exitCode: 3, stdout: 'good bye\n' });
    expect(summary.status).toBe('pass');
  });

  test('a service that ends by itself fails a run with fail_on_unexpected', async () => {
    const { summary } = await run(nodes, { workflow: { setup }, fail_on_unexpected: { enabled: true } });
    expect(summary).toMatchObject({ status: 'fail', reason: expect.stringContaining('The service "web" ended by itself') });
  });

  test('a service that ends during a request fails the request', async () => {
    const { entryOf, issues, read } = await run(
      {
        start: { ...web, next: 'ask' },
        ask: { action: 'call', ref: 'die', rw: { in: { params: { source: 'start' } } }, next: 'done' },
      },
      {
        flows: {
          die: {
            description: 'Makes the server exit',
            paramsSchema: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } },
            workflow: {
              entry: 'get',
              nodes: {
                get: { action: 'http.request', intent: 'Ask for the end of the server', url: '{{params.url}}/die', next: 'end' },
                end: { action: 'end', status: 'pass' },
              },
            },
          },
        },
      },
    );
    expect(entryOf('ask/get')?.error).toContain('the server closed the connection');
    expect(issues.length).toBeLessThanOrEqual(1);
    expect(read('logs/web.log')).toContain('asked for /die');
  });
});

describe('the output of a service', () => {
  test('service.wait_log with a text or a pattern proves a claim', async () => {
    const proofTarget = 'AC1';
    const { summary, outputOf } = await run(
      {
        start: { ...web, next: 'ask' },
        ask: see({ source: 'start', path: '$.url' }, { next: 'text' }),
        text: { action: 'service.wait_log', name: 'web', contains: 'asked for /', proofTarget, next: 'pattern' },
        pattern: { action: 'service.wait_log', name: 'web', pattern: 'asked\\s+for .', proofTarget, next: 'done' },
      },
      { proofTargets: [{ id: 'AC1', claim: 'The server logs what it is asked for.' }] },
    );
    expect([summary.status, summary.proof[0]?.held]).toEqual(['pass', 2]);
    expect(outputOf('text')).toEqual({ name: 'web', matched: true });
  });

  test('service.wait_log fails at once when the service has ended without the text', async () => {
    const { entryOf, summary } = await run({
      start: { action: 'service.start', cmd: 'echo only this', ready: { log: 'only' }, next: 'look' },
      look: { action: 'service.wait_log', contains: 'more', next: 'done' },
    });
    expect(summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
    expect(entryOf('look')?.error).toBe(
      'The output of the service "service" does not contain "more". The service has ended: it exited with 0.\nonly this',
    );
  });

  test('service.wait_log fails when no node has started the service', async () => {
    const { entryOf } = await run({ look: { action: 'service.wait_log', contains: 'x', next: 'done' } });
    expect(entryOf('look')?.error).toBe('No node has started a service "service". Start the service with service.start.');
  });

  test('a secret in the output of a service is masked in every file of the package', async () => {
    const secret = 'service-secret-77-xyz';
    const { read, outputOf, summary } = await run(
      {
        start: { ...web, env: { TOKEN: '{{inputs.token}}' }, next: 'wait' },
        wait: { action: 'service.wait_log', name: 'web', contains: 'listening', next: 'done' },
      },
      { inputs: { token: { type: 'secret-ref', ref: 'env:SERVICE_TOKEN' } } },
      { env: { ...process.env, SERVICE_TOKEN: secret } },
    );
    expect([summary.status, outputOf('wait')]).toEqual(['pass', { name: 'web', matched: true }]);
    expect(read('logs/web.log')).toContain('token [secret:token]\n');
    for (const file of ['journal.jsonl', 'trace.json', 'review.html', 'logs/web.log']) expect(read(file)).not.toContain(secret);
  });

  test('the log of a service with endless output has its head and its tail', async () => {
    const { read } = await run({
      start: {
        action: 'service.start',
        cmd: 'echo HEAD; head -c 30000000 /dev/zero | tr "\\0" x; echo TAIL; sleep 600',
        ready: { log: 'TAIL' },
        timeout_ms: 600_000,
        next: 'done',
      },
    });
    const log = read('logs/service.log') ?? '';
    expect(Buffer.byteLength(log)).toBeLessThanOrEqual(10_000_000);
    expect([log.slice(0, 5), log.slice(-5), /\n… \d+ bytes left out …\n/.test(log)]).toEqual(['HEAD\n', 'TAIL\n', true]);
  });
});

describe('the checks of a service', () => {
  test.for([
    [{}, '"cmd" or "argv"'],
    [{ cmd: 'a', argv: ['b'] }, 'only one of "cmd", "command" and "argv"'],
    [{ cmd: 'a', ready: { port: true } }, 'a "port", because "ready" waits for the port or a URL'],
    [{ cmd: 'a', ready: { url: '/x' } }, 'a "port"'],
    [{ cmd: 'a', port: 1, ready: { url: 'http://other.test/' } }, 'must be a path of the service'],
    [{ cmd: 'a', port: 1, ready: { url: '//other.test/' } }, 'must be a path of the service'],
    [{ cmd: 'a', port: 1, ready: { port: true, log: 'x' } }, '"ready"'],
    [{ cmd: 'a', name: '../web' }, '"name"'],
    [{ cmd: 'a', port: 70_000 }, '"port"'],
  ] as const)('service.start with %j is refused', async ([node, message]) => {
    await expect(run({ start: { action: 'service.start', ...node, next: 'done' } })).rejects.toThrow(message);
  });

  test('the checks of service.start find a reference that a shell would execute', async () => {
    const nodes = { start: { action: 'service.start', cmd: 'node -e "{{inputs.code}}"', next: 'done' } };
    await expect(run(nodes, { inputs: { code: 'x' } })).rejects.toThrow('command.reference_in_interpreter');
  });

  test('the checks of service.start find a service that could produce what the page has to show', async () => {
    const proofTarget = 'AC1';
    const nodes = {
      start: { action: 'service.start', cmd: 'a', proofTarget, next: 'see' },
      see: { action: 'ui.wait_for', test_id: 'x', proofTarget, next: 'shot' },
      shot: { action: 'ui.screenshot', proofTarget, next: 'done' },
    };
    const { loadDocument } = await import('../../../src/check/loadRecipe.js');
    const { readDocument } = await import('../../../src/document/readDocument.js');
    const { createRegistry } = await import('../../../src/registry/registry.js');
    const recipe = recipeOf(nodes, { proofTargets: [{ id: 'AC1', claim: 'The page shows it.' }] });
    const read = readDocument('a.recipe.json', Buffer.from(JSON.stringify(recipe)));
    const { findings } = loadDocument(read, { projectRoot: '/', registry: createRegistry() });
    expect(findings.map(({ code }) => code)).toEqual(['workflow.command_for_visible_target']);
  });
});
