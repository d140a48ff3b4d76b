// The documentation shows every picture in docs/, every picture that it shows exists, and a script takes all of them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const docs = readdirSync(join(root, 'docs'));
const pages = ['README.md', 'CONTRIBUTING.md', ...docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
const pictures = docs.filter((name) => /\.(png|jpe?g|gif|svg|webp)$/.test(name)).map((name) => `docs/${name}`);

const images = pages.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)|<img [^>]*src="([^"]+)"/g)].map(
    ([, words = '', path, source = '']) => ({ page, words, path: relative(root, join(root, dirname(page), path ?? source)) }),
  ),
);

describe('the pictures of the documentation', () => {
  test.for(images)('the picture $path, which $page shows, exists and has a description', ({ path, words }) => {
    expect(existsSync(join(root, path))).toBe(true);
    expect(words.length).toBeGreaterThan(20);
  });

  test.for(pictures)('a page of the documentation shows the picture %s', (path) => {
    expect(images.map((one) => one.path)).toContain(path);
  });

  test.for(pictures)('scripts/pictures.mjs takes the picture %s', (path) => {
    const [, name = ''] = /^docs\/(.+?)(?:\.png)?$/.exec(path) ?? [];
    expect(readFileSync(join(root, 'scripts/pictures.mjs'), 'utf8')).toContain(`'${name}'`);
  });

  test('the pictures in docs/review.md are a graph, the page of a run, the page of a suite, and a comparison', () => {
    const inDocs = images.filter(({ page }) => page === 'docs/review.md').map(({ path }) => path);
    expect(inDocs).toEqual(['docs/checkout-graph.svg', 'docs/checkout-review.png', 'docs/suite.png', 'docs/compare.png']);
  });
});
