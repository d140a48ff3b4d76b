// recipewright graph draws every dialect as SVG and as Mermaid, with open and with folded calls.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { printGraph } from '../../../src/cli/graph.js';
import { templateFiles } from '../../support/templates.js';
import { directory } from '../evidence/packages.js';
import { richRecipe } from '../evidence/richPackage.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

function writeProject(files: Record<string, unknown>): string {
  const dir = directory();
  writeFileSync(join(dir, 'package.json'), '{}');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return dir;
}

const flowSpec = {
  ...{ spec_version: '1', name: 'Signing up', url: 'https://shop.example.org/' },
  steps: [
    { type: 'act', action: 'click', target: 'the sign-up button', selector: '#sign-up' },
    { type: 'wait', for: '.done', optional: true },
    { type: 'expect', kind: 'url_contains', value: '/welcome' },
  ],
};

const modern = (): string => {
  const dir = directory();
  cpSync(join(root, 'test/corpus/modern'), dir, { recursive: true });
  return join(dir, 'calls.recipe.json');
};

/** `calls`: the boards that folding removes. */
type Dialect = { file(): string; words: readonly string[]; boards: readonly string[]; calls: readonly string[] };

const dialects: Record<string, Dialect> = {
  classic: {
    file: () => join(writeProject({ 'a.recipe.json': richRecipe }), 'a.recipe.json'),
    words: ['Do what check is there for', '◆ proves AC1'],
    ...{ boards: ['A rich recipe'], calls: ['Flow shop.ask'] },
  },
  modern: {
    file: modern,
    words: ['call'],
    boards: ['Recipes of a library, one of them with a clean-up of its own'],
    calls: ['Flow greet', 'Flow shop.order', 'Flow shop.order..main', 'Flow shop.order..teardown'],
  },
  'flow-spec': {
    file: () => join(writeProject({ 'a.flowspec.json': flowSpec }), 'a.flowspec.json'),
    words: ['the sign-up button', '/welcome'],
    ...{ boards: ['Signing up'], calls: [] },
  },
  template: {
    file: () => join(writeProject(templateFiles), 'recipes/greet.template.md'),
    words: ['tee said.txt'],
    ...{ boards: ['greet', 'template: in sequence'], calls: [] },
  },
  runtime: {
    file: () => join(root, 'examples/desk/manifests/article.runtime.json'),
    words: ['Plan the sections of the article', 'Write one section', 'May the article be published?'],
    boards: [
      'An article is planned, written, judged, checked, approved and published',
      ...['Inside topology', 'write: in sequence', 'judge: in parallel', 'Inside check'],
      ...['each: for each item, 2 at a time', 'Inside topology'],
    ],
    calls: [],
  },
};

async function draw(file: string, options: object): Promise<string> {
  const out = join(directory(), 'picture');
  expect(await printGraph([file], { out, ...options })).toBe(0);
  return readFileSync(out, 'utf8');
}

describe.for(Object.entries(dialects))('recipewright graph of a %s document', ([, { file, words, boards, calls }]) => {
  test.for([
    ['open', [...boards, ...calls]],
    ['folded', boards],
  ] as const)('graph draws the document with its calls %s, as a picture and as Mermaid text', async ([folding, titles]) => {
    const document = file();
    const svg = await draw(document, { calls: folding });
    const found = [...svg.matchAll(/font-size="16" font-weight="600">([^<]+)</g)].map(([, title]) => title);
    expect([...found].sort()).toEqual([...titles].sort());
    // A box breaks long words, but its tooltip does not.
    for (const word of words) expect(svg).toContain(word);
    const text = await draw(document, { calls: folding, format: 'mermaid' });
    expect(text.match(/^ {2}subgraph b\d+\[/gm)).toHaveLength(titles.length);
    expect(text.match(/, folded: \d+ nodes?/g) ?? []).toHaveLength(svg.match(/<text [^>]*>▸ [^<]*folded/g)?.length ?? 0);
    if (calls.length > 0) expect(text.includes(', folded: ')).toBe(folding === 'folded');
  });
});
