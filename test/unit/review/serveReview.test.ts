// The review server: this machine only, this directory only, nobody's scripts.
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serveReview } from '../../../src/review/serve/serveReview.js';
import { directory, write } from '../evidence/packages.js';
import { richPackage } from '../evidence/richPackage.js';

async function served(dir: string): Promise<string> {
  const { url, close } = await serveReview(dir);
  onTestFinished(close);
  return url;
}

type Answer = { status: number | undefined; type: string | undefined; body: string };

/** As it is written: a URL would be tidied up on the way. */
function ask(url: string, path: string, options: { host?: string; method?: string } = {}): Promise<Answer> {
  const { port, host } = new URL(url);
  const headers = { host: options.host ?? host };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers, method: options.method ?? 'GET' }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode, type: response.headers['content-type'], body }));
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

  test('lists the packages of a suite and leads to each', async () => {
    const dir = directory();
    cpSync((await richPackage()).dir, join(dir, 'recipes/a b'), { recursive: true });
    write(dir, 'suite.json', { resolutions: [{ id: 'recipes/a b', kind: 'verdict', status: 'pass', reason: '<b>fine</b>' }] });
    const url = await served(dir);
    const { body } = await ask(url, '/');
    expect(body).toContain('<a href="./recipes/a%20b/review.html">A rich recipe</a>');
    expect(body).toContain('1 of 1 claims proven');
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

  test('says of an empty directory that there is nothing in it', async () => {
    expect((await ask(await served(directory()), '/')).body).toContain('There is neither a package nor a suite');
  });
});
