// The pictures of the documentation: each that is shown is there, each that is there is shown, and a script takes all of them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const docs = readdirSync(join(root, 'docs'));
const pages = ['README.md', 'CONTRIBUTING.md', ...docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
const pictures = docs.filter((name) => /\.(png|jpe?g|gif|svg|webp)$/.test(name)).map((name) => `docs/${name}`);

const shown = pages.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)|<img [^>]*src="([^"]+)"/g)].map(
    ([, words = '', path, source = '']) => ({ page, words, path: relative(root, join(root, dirname(page), path ?? source)) }),
  ),
);

describe('the pictures of the documentation', () => {
  test.for(shown)('$path, which $page shows, is there and told in words', ({ path, words }) => {
    expect(existsSync(join(root, path))).toBe(true);
    expect(words.length).toBeGreaterThan(20);
  });

  test.for(pictures)('%s is shown somewhere', (path) => {
    expect(shown.map((one) => one.path)).toContain(path);
  });

  test.for(pictures)('%s is taken by the script', (path) => {
    const [, name = ''] = /^docs\/(.+?)(?:\.png)?$/.exec(path) ?? [];
    expect(readFileSync(join(root, 'scripts/pictures.mjs'), 'utf8')).toContain(`'${name}'`);
  });

  test('show the graph, the page of a run, that of a suite, and a comparison', () => {
    const inDocs = shown.filter(({ page }) => page === 'docs/review.md').map(({ path }) => path);
    expect(inDocs).toEqual(['docs/checkout-graph.svg', 'docs/checkout-review.png', 'docs/suite.png', 'docs/compare.png']);
  });
});
