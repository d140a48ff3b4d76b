// The review server: this machine only, this directory only, nobody's scripts.
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serveReview } from '../../../src/review/serve/serveReview.js';
import { makeForeign, directory, jsonIn, write } from '../evidence/packages.js';
import { richPackage } from '../evidence/richPackage.js';

async function served(dir: string): Promise<string> {
  const { url, close } = await serveReview(dir);
  onTestFinished(close);
  return url;
}

type Answer = { status: number | undefined; type: string | undefined; range: string | undefined; body: string };
type Asked = { host?: string; method?: string; headers?: Record<string, string> };

/** As it is written: a URL would be tidied up on the way. */
function ask(url: string, path: string, options: Asked = {}): Promise<Answer> {
  const { port, host } = new URL(url);
  const headers = { host: options.host ?? host, ...options.headers };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers, method: options.method ?? 'GET' }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('end', () => {
        const { 'content-type': type, 'content-range': range } = response.headers;
        resolve({ status: response.statusCode, type, range, body });
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('the review server', () => {
  test('shows the page of a package, made anew, and its files', async () => {
    const { dir } = await richPackage();
    const url = await served(dir);
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

  test('warns above all of a package that is not what a run left', async () => {
    const { dir } = await richPackage();
    const url = await served(dir);
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

  test('lists the packages of a suite and leads to each', async () => {
    const dir = directory();
    cpSync((await richPackage()).dir, join(dir, 'recipes/a b'), { recursive: true });
    write(dir, 'suite.json', { resolutions: [{ id: 'recipes/a b', kind: 'verdict', status: 'pass', reason: '<b>fine</b>' }] });
    const url = await served(dir);
    const { body } = await ask(url, '/');
    expect(body).toContain('<a href="./recipes/a%20b/review.html">A rich recipe</a>');
    expect(body).toContain('1 of 1 claims proven');
    expect(body).toContain('<h3>1 of 1 flows taken</h3>');
    expect((await ask(url, '/index.html')).body).toBe(body);
    expect((await ask(url, '/recipes/a%20b/review.html')).body).toContain('<h1>A rich recipe</h1>');
  });

  test('serves no page that a package brings along', async () => {
    const { dir } = await richPackage();
    const evil = '<script>alert(1)</script>';
    for (const name of ['review.html', 'evil.html', 'evil.svg', 'evil.xhtml']) writeFileSync(join(dir, name), evil);
    const url = await served(dir);
    expect((await ask(url, '/review.html')).body).not.toContain(evil);
    expect(await ask(url, '/evil.html')).toMatchObject({ status: 404 });
    for (const name of ['evil.svg', 'evil.xhtml'])
      expect(await ask(url, `/${name}`)).toMatchObject({ type: 'text/plain; charset=utf-8' });
  });

  test.for(['/../secret', '/%2e%2e/secret', '/..%2fsecret', '//etc/passwd', '/link', '/a/../../secret', '/%00', '/%zz'])(
    'gives nothing outside of its directory for %s',
    async (path) => {
      const around = directory();
      writeFileSync(join(around, 'secret'), 'hidden');
      const dir = join(around, 'package');
      cpSync((await richPackage()).dir, dir, { recursive: true });
      symlinkSync(join(around, 'secret'), join(dir, 'link'));
      const { status, body } = await ask(await served(dir), path);
      expect(status).toBe(404);
      expect(body).not.toContain('hidden');
    },
  );

  test('answers nobody who calls it by another name, and changes nothing', async () => {
    const { dir } = await richPackage();
    const url = await served(dir);
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
    // What is no range, or more than one, asks for all of it.
    ...['bytes=5-2', 'bytes=0-1,4-5', 'bytes=-', 'lines=0-1', 'bytes=0x1-2'].map(
      (range) => [range, 200, undefined, 'kept for later\n'] as const,
    ),
  ] as const)('gives of a file the stretch %s, and says which', async ([asked, status, range, body]) => {
    const { dir } = await richPackage();
    expect(await ask(await served(dir), '/notes.log', { headers: { range: asked } })).toMatchObject({ status, range, body });
  });

  test('gives no stretch to who has another version of the file, and none of a page or of what lies outside', async () => {
    const around = directory();
    writeFileSync(join(around, 'secret'), 'hidden');
    const dir = join(around, 'package');
    cpSync((await richPackage()).dir, dir, { recursive: true });
    symlinkSync(join(around, 'secret'), join(dir, 'link'));
    const url = await served(dir);
    const headers = { range: 'bytes=0-3' };
    expect(await ask(url, '/notes.log', { headers: { ...headers, 'if-range': '"old"' } })).toMatchObject({ status: 200 });
    expect(await ask(url, '/', { headers })).toMatchObject({ status: 200, range: undefined });
    expect(await ask(url, '/link', { headers })).toMatchObject({ status: 404, range: undefined });
  });

  test('shows the tries of a recipe side by side', async () => {
    const dir = directory();
    for (const place of ['recipes/a', '.attempts/recipes/a/0'])
      cpSync((await richPackage()).dir, join(dir, place), { recursive: true });
    write(dir, 'suite.json', { resolutions: [{ id: 'recipes/a', kind: 'verdict', flaky: true }] });
    const url = await served(dir);
    expect((await ask(url, '/')).body).toContain('href="./.attempts/recipes/a/compare/index.html"');
    expect((await ask(url, '/.attempts/recipes/a/compare/index.html')).body).toContain('Try 1 and the last');
    expect(await ask(url, '/.attempts/../../x/compare/index.html')).toMatchObject({ status: 404 });
    expect(await ask(url, '/.attempts/recipes/b/compare/index.html')).toMatchObject({ status: 404 });
  });

  test('leads from each try to all of them side by side', async () => {
    const dir = directory();
    for (const place of ['recipes/a', '.attempts/recipes/a/0', 'recipes/b'])
      cpSync((await richPackage()).dir, join(dir, place), { recursive: true });
    write(dir, 'suite.json', { resolutions: [{ id: 'recipes/a', kind: 'verdict', flaky: true }] });
    const url = await served(dir);
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

  test('believes no summary of a suite that is not what a run left', async () => {
    const dir = directory();
    for (const name of ['a', 'b']) cpSync((await richPackage()).dir, join(dir, name), { recursive: true });
    write(dir, 'suite.json', { resolutions: ['a', 'b'].map((id) => ({ id, kind: 'verdict', status: 'pass', reason: '' })) });
    const url = await served(dir);
    const intact = (await ask(url, '/')).body;
    expect(intact).toContain('<title>2 of 2 recipes passed</title>');
    expect(intact).not.toMatch(/Not intact|Not verified/);
    writeFileSync(join(dir, 'b/added.txt'), 'nobody listed it');
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

  test('believes no journal without its package', async () => {
    const { dir } = await richPackage();
    const url = await served(dir);
    expect((await ask(url, '/')).body).toContain('✓ Pass');
    rmSync(join(dir, 'summary.json'));
    const { body } = await ask(url, '/');
    expect(body).toMatch(/\? Unknown.*The run has not ended yet/s);
    expect(body).not.toMatch(/✓ (Pass|Proven)/);
  });

  test('believes no try that is not what a run left', async () => {
    const dir = directory();
    for (const place of ['a', '.attempts/a/0']) cpSync((await richPackage()).dir, join(dir, place), { recursive: true });
    const url = await served(dir);
    const page = async (): Promise<string> => (await ask(url, '/.attempts/a/compare/index.html')).body;
    expect(await page()).not.toContain('Not intact');
    write(join(dir, 'a'), 'summary.json', { ...jsonIn(join(dir, 'a'), 'summary.json'), ...forged });
    expect(await page()).toMatch(/<title>Worse: 1 of the packages is not intact.*<p class="error">Not intact: the evidence/s);
  });

  test('follows the runs of a suite, and none whose journal lies elsewhere', async () => {
    const around = directory();
    const dir = join(around, 'results');
    const { dir: whole } = await richPackage();
    const lines = readFileSync(join(whole, 'journal.jsonl'), 'utf8').split('\n');
    for (const name of ['.live/recipes/a', '.live/evil', 'recipes/b']) mkdirSync(join(dir, name), { recursive: true });
    writeFileSync(join(around, 'secret.jsonl'), lines.slice(0, 5).join('\n'));
    symlinkSync(join(around, 'secret.jsonl'), join(dir, '.live/evil/journal.jsonl'));
    writeFileSync(join(dir, '.live/recipes/a/journal.jsonl'), lines.slice(0, 5).join('\n'));
    cpSync(join(whole, 'recipe.json'), join(dir, '.live/recipes/a/recipe.json'));
    const ids = ['recipes/a', 'recipes/late'];
    write(dir, 'suite.json', { resolutions: ids.map((id) => ({ id, kind: 'verdict' })) });
    const url = await served(dir);
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

  test('goes on when something cannot be shown', async () => {
    const { dir } = await richPackage();
    const url = await served(dir);
    // A socket can be found, and not be opened.
    const socket = createServer().listen(join(dir, 'socket'));
    onTestFinished(() => void socket.close());
    await once(socket, 'listening');
    const { status, body } = await ask(url, '/socket');
    expect([status, body]).toEqual([500, expect.stringContaining('This page cannot be shown: ENXIO')]);
    expect(await ask(url, '/')).toMatchObject({ status: 200 });
  });

  test('says of an empty directory that there is nothing in it', async () => {
    expect((await ask(await served(directory()), '/')).body).toContain('There is neither a package nor a suite');
  });
});
