// The review server answers only this machine, serves only its directory, and serves no scripts of a package.
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serveReview } from '../../../src/review/serve/serveReview.js';
import { directory, jsonIn, makeForeign, write } from '../evidence/packages.js';
import { richPackage } from '../evidence/richPackage.js';

async function serve(dir: string): Promise<string> {
  const { url, close } = await serveReview(dir);
  onTestFinished(close);
  return url;
}

type Answer = { status: number | undefined; type: string | undefined; range: string | undefined; body: string };
type RequestOptions = { host?: string; method?: string; headers?: Record<string, string> };

/** Requests `path` exactly as written. `fetch` would normalize it. */
function ask(url: string, path: string, options: RequestOptions = {}): Promise<Answer> {
  const { port, host } = new URL(url);
  const headers = { host: options.host ?? host, ...options.headers };
  return new Promise((resolve, reject) => {
    const clientRequest = request({ host: '127.0.0.1', port, path, headers, method: options.method ?? 'GET' }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('end', () => {
        const { 'content-type': type, 'content-range': range } = response.headers;
        resolve({ status: response.statusCode, type, range, body });
      });
    });
    clientRequest.on('error', reject);
    clientRequest.end();
  });
}

describe('the review server', () => {
  test('the review server shows a newly rendered page of a package, and its files', async () => {
    const { dir } = await richPackage();
    const url = await serve(dir);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    expect(await ask(url, '/')).toMatchObject({
      status: 200,
      type: 'text/html; charset=utf-8',
      body: expect.stringContaining('<h1>A rich recipe</h1>'),
    });
    expect(await ask(url, '/notes.log')).toMatchObject({
      status: 200,
      type: 'text/plain; charset=utf-8',
      body: 'kept for later\n',
    });
  });

  test('the review page begins with a warning when the package was changed', async () => {
    const { dir } = await richPackage();
    const url = await serve(dir);
    expect((await ask(url, '/')).body).not.toMatch(/Not intact|Not verified/);
    const summary = jsonIn(dir, 'summary.json');
    write(dir, 'summary.json', { ...summary, reason: 'All is well, believe me.' });
    const { body } = await ask(url, '/');
    expect(body).toMatch(/<title>Not intact: A rich recipe/);
    expect(body).toMatch(
      /<header><p class="error" role="alert"><strong>✗ Not intact\.<\/strong> .*: the evidence does not hold: /,
    );
    makeForeign(dir);
    expect((await ask(url, '/')).body).toContain('<header><p class="note" role="note">Not verified: the package has no journal');
  });

  test('the review server lists the packages of a suite, and links to each of them', async () => {
    const dir = directory();
    cpSync((await richPackage()).dir, join(dir, 'recipes/a b'), { recursive: true });
    write(dir, 'suite.json', { resolutions: [{ id: 'recipes/a b', kind: 'verdict', status: 'pass', reason: '<b>fine</b>' }] });
    const url = await serve(dir);
    const { body } = await ask(url, '/');
    expect(body).toContain('<a href="./recipes/a%20b/review.html">A rich recipe</a>');
    expect(body).toContain('1 of 1 claims proven');
    expect(body).toContain('<h3>1 of 1 flows taken</h3>');
    expect((await ask(url, '/index.html')).body).toBe(body);
    expect((await ask(url, '/recipes/a%20b/review.html')).body).toContain('<h1>A rich recipe</h1>');
  });

  test('the review server does not serve HTML files of a package', async () => {
    const { dir } = await richPackage();
    const evil = '<script>alert(1)</script>';
    for (const name of ['review.html', 'evil.html', 'evil.svg', 'evil.xhtml']) writeFileSync(join(dir, name), evil);
    const url = await serve(dir);
    expect((await ask(url, '/review.html')).body).not.toContain(evil);
    expect(await ask(url, '/evil.html')).toMatchObject({ status: 404 });
    for (const name of ['evil.svg', 'evil.xhtml'])
      expect(await ask(url, `/${name}`)).toMatchObject({ type: 'text/plain; charset=utf-8' });
  });

  test.for(['/../secret', '/%2e%2e/secret', '/..%2fsecret', '//etc/passwd', '/link', '/a/../../secret', '/%00', '/%zz'])(
    'the review server serves no file outside its directory for the path %s',
    async (path) => {
      const parent = directory();
      writeFileSync(join(parent, 'secret'), 'hidden');
      const dir = join(parent, 'package');
      cpSync((await richPackage()).dir, dir, { recursive: true });
      symlinkSync(join(parent, 'secret'), join(dir, 'link'));
      const { status, body } = await ask(await serve(dir), path);
      expect(status).toBe(404);
      expect(body).not.toContain('hidden');
    },
  );

  test('the review server refuses another host name, and methods that change something', async () => {
    const { dir } = await richPackage();
    const url = await serve(dir);
    expect(await ask(url, '/', { host: 'evil.test' })).toMatchObject({ status: 404 });
    expect(await ask(url, '/', { method: 'POST' })).toMatchObject({ status: 404 });
    expect(await ask(url, '/', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  });

  test.for([
    ['bytes=0-3', 206, 'bytes 0-3/15', 'kept'],
    ['bytes=9-', 206, 'bytes 9-14/15', 'later\n'],
    ['bytes=-6', 206, 'bytes 9-14/15', 'later\n'],
    ['bytes=9-999', 206, 'bytes 9-14/15', 'later\n'],
    ['bytes=-999', 206, 'bytes 0-14/15', 'kept for later\n'],
    ['bytes=15-', 416, 'bytes */15', ''],
    ['bytes=-0', 416, 'bytes */15', ''],
    ['bytes=99999999999999999999-', 416, 'bytes */15', ''],
    // An invalid range, or several ranges, request the whole file.
    ...['bytes=5-2', 'bytes=0-1,4-5', 'bytes=-', 'lines=0-1', 'bytes=0x1-2'].map(
      (range) => [range, 200, undefined, 'kept for later\n'] as const,
    ),
  ] as const)('the review server answers the range request %s with status %i', async ([requested, status, range, body]) => {
    const { dir } = await richPackage();
    expect(await ask(await serve(dir), '/notes.log', { headers: { range: requested } })).toMatchObject({ status, range, body });
  });

  test('the review server ignores a range with If-Range, and ranges of pages and of files outside its directory', async () => {
    const parent = directory();
    writeFileSync(join(parent, 'secret'), 'hidden');
    const dir = join(parent, 'package');
    cpSync((await richPackage()).dir, dir, { recursive: true });
    symlinkSync(join(parent, 'secret'), join(dir, 'link'));
    const url = await serve(dir);
    const headers = { range: 'bytes=0-3' };
    expect(await ask(url, '/notes.log', { headers: { ...headers, 'if-range': '"old"' } })).toMatchObject({ status: 200 });
    expect(await ask(url, '/', { headers })).toMatchObject({ status: 200, range: undefined });
    expect(await ask(url, '/link', { headers })).toMatchObject({ status: 404, range: undefined });
  });

  test('the review server shows the tries of a recipe side by side', async () => {
    const dir = directory();
    for (const place of ['recipes/a', '.attempts/recipes/a/0'])
      cpSync((await richPackage()).dir, join(dir, place), { recursive: true });
    write(dir, 'suite.json', { resolutions: [{ id: 'recipes/a', kind: 'verdict', flaky: true }] });
    const url = await serve(dir);
    expect((await ask(url, '/')).body).toContain('href="./.attempts/recipes/a/compare/index.html"');
    expect((await ask(url, '/.attempts/recipes/a/compare/index.html')).body).toContain('Try 1 and the last');
    expect(await ask(url, '/.attempts/../../x/compare/index.html')).toMatchObject({ status: 404 });
    expect(await ask(url, '/.attempts/recipes/b/compare/index.html')).toMatchObject({ status: 404 });
  });

  test('the page of each try links to the comparison of all tries', async () => {
    const dir = directory();
    for (const place of ['recipes/a', '.attempts/recipes/a/0', 'recipes/b'])
      cpSync((await richPackage()).dir, join(dir, place), { recursive: true });
    write(dir, 'suite.json', { resolutions: [{ id: 'recipes/a', kind: 'verdict', flaky: true }] });
    const url = await serve(dir);
    for (const [path, words] of [
      ['recipes/a', 'This is try 2 of 2.'],
      ['.attempts/recipes/a/0', 'This is try 1 of 2.'],
    ] as const) {
      const { body } = await ask(url, `/${path}/review.html`);
      const [, link = ''] = new RegExp(`${words} <a href="([^"]+)">Compare all tries</a>`).exec(body) ?? [];
      expect(new URL(link, `${url}${path}/review.html`).pathname).toBe('/.attempts/recipes/a/compare/index.html');
      expect((await ask(url, new URL(link, `${url}${path}/review.html`).pathname)).status).toBe(200);
    }
    expect((await ask(url, '/recipes/b/review.html')).body).not.toContain('Compare all tries');
  });

  const forged = { status: 'pass', reason: 'All is well, believe me.' };

  test('the page of a suite does not count a package that was changed', async () => {
    const dir = directory();
    for (const name of ['a', 'b']) cpSync((await richPackage()).dir, join(dir, name), { recursive: true });
    write(dir, 'suite.json', { resolutions: ['a', 'b'].map((id) => ({ id, kind: 'verdict', status: 'pass', reason: '' })) });
    const url = await serve(dir);
    const intact = (await ask(url, '/')).body;
    expect(intact).toContain('<title>2 of 2 recipes passed</title>');
    expect(intact).not.toMatch(/Not intact|Not verified/);
    writeFileSync(join(dir, 'b/added.txt'), 'not listed');
    expect((await ask(url, '/')).body).toMatch(/Not intact|Not verified/);
    rmSync(join(dir, 'b/added.txt'));
    write(join(dir, 'b'), 'summary.json', { ...jsonIn(join(dir, 'b'), 'summary.json'), ...forged });
    const { body } = await ask(url, '/');
    expect(body).toContain('<title>1 of 2 recipes passed</title>');
    expect(body).toMatch(
      /<header><p class="error" role="alert"><strong>✗ Not intact\.<\/strong> 1 of the packages is not as its run wrote it/,
    );
    expect(body).toMatch(/<tr class="recipe" data-is="bad">.*?✗ Not intact.*?the evidence does not hold: /s);
    expect(body).toContain('1 of 2 claims are proven, 0 refuted, 1 unproven, 0 blocked.');
    expect(body).not.toContain('believe me');
    makeForeign(join(dir, 'b'));
    const others = (await ask(url, '/')).body;
    expect(others).toContain('Not verified: the package has no journal, so it cannot be verified.');
    expect(others).toContain('<title>1 of 2 recipes passed</title>');
    expect(others).toContain('1 of 2 claims are proven, 0 refuted, 1 unproven, 0 blocked.');
  });

  test('the page of a journal without a summary is unknown, and proves no claim', async () => {
    const { dir } = await richPackage();
    const url = await serve(dir);
    expect((await ask(url, '/')).body).toContain('✓ Pass');
    rmSync(join(dir, 'summary.json'));
    const { body } = await ask(url, '/');
    expect(body).toMatch(/\? Unknown.*The run has not ended yet/s);
    expect(body).not.toMatch(/✓ (Pass|Proven)/);
  });

  test('the comparison of tries warns when a package was changed', async () => {
    const dir = directory();
    for (const place of ['a', '.attempts/a/0']) cpSync((await richPackage()).dir, join(dir, place), { recursive: true });
    const url = await serve(dir);
    const page = async (): Promise<string> => (await ask(url, '/.attempts/a/compare/index.html')).body;
    expect(await page()).not.toContain('Not intact');
    write(join(dir, 'a'), 'summary.json', { ...jsonIn(join(dir, 'a'), 'summary.json'), ...forged });
    expect(await page()).toMatch(/<title>Worse: 1 of the packages is not intact.*<p class="error">Not intact: the evidence/s);
  });

  test('the review server shows the live runs of a suite, but not a run whose journal is a link to another directory', async () => {
    const parent = directory();
    const dir = join(parent, 'results');
    const { dir: whole } = await richPackage();
    const lines = readFileSync(join(whole, 'journal.jsonl'), 'utf8').split('\n');
    for (const name of ['.live/recipes/a', '.live/evil', 'recipes/b']) mkdirSync(join(dir, name), { recursive: true });
    writeFileSync(join(parent, 'secret.jsonl'), lines.slice(0, 5).join('\n'));
    symlinkSync(join(parent, 'secret.jsonl'), join(dir, '.live/evil/journal.jsonl'));
    writeFileSync(join(dir, '.live/recipes/a/journal.jsonl'), lines.slice(0, 5).join('\n'));
    cpSync(join(whole, 'recipe.json'), join(dir, '.live/recipes/a/recipe.json'));
    const ids = ['recipes/a', 'recipes/late'];
    write(dir, 'suite.json', { resolutions: ids.map((id) => ({ id, kind: 'verdict' })) });
    const url = await serve(dir);
    const suite = (await ask(url, '/')).body;
    expect(suite).toMatch(
      /<a href="\.\/recipes\/a\/review\.html">recipes\/a<\/a>.*?… Running.*?The recipe is still running\. Its journal last changed at \d{4}-[^<]*Z\./s,
    );
    expect(suite).toMatch(/recipes\/late<.*?The recipe has not started yet\./s);
    expect(suite).not.toContain('evil');
    const page = (await ask(url, '/recipes/a/review.html')).body;
    expect(page).toMatch(/class="g-node g-run".*? is running</s);
    expect(page).toMatch(/g-none.*?not reached/s);
    expect(await ask(url, '/evil/review.html')).toMatchObject({ status: 404 });
  });

  test('the review server continues after a file that it cannot read', async () => {
    const { dir } = await richPackage();
    const url = await serve(dir);
    // A socket exists, but cannot be opened.
    const socket = createServer().listen(join(dir, 'socket'));
    onTestFinished(() => void socket.close());
    await once(socket, 'listening');
    const { status, body } = await ask(url, '/socket');
    expect([status, body]).toEqual([500, expect.stringContaining('This page cannot be shown: ENXIO')]);
    expect(await ask(url, '/')).toMatchObject({ status: 200 });
  });

  test('the page of an empty directory says that it has neither a package nor a suite', async () => {
    expect((await ask(await serve(directory()), '/')).body).toContain('There is neither a package nor a suite');
  });
});
