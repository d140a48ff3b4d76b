import { execFileSync } from 'node:child_process';
import { expect, type Project, type Run, test } from '../support/project.js';
import { exit, hears, recipe, say, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';

// Uses --list where only the selected tests matter, because a list takes half the time of a run.
const listing = ['--list'];
const titles = ({ report }: Run): string[] => testsIn(report).map(({ title }) => title);
const flow = {
  version: 1,
  description: 'Speaks.',
  entry: 'speak',
  nodes: { speak: { ...say('hello'), intent: 'Say hello to all', next: 'done' }, done: { action: 'end', status: 'pass' } },
};
const catalog = (examples: object[]) => {
  return { schema_version: 1, kind: 'recipe-flow-catalog', flows: { 'shop.speak': { ...flow, examples } } };
};
const options = { recipes: { recipes: ['recipes/**/*.recipe.json', 'flows/*.flows.json'] } };
const claimed = (title: string, target: string) =>
  recipe({ speak: say('hello'), listen: hears('speak', 'hello', { proofTarget: target }) }, { title, targets: [target] });

test('--grep selects recipes and examples by a claim, by a word of the title and by their kind', async ({ project }) => {
  const inner = project(
    {
      'recipes/a.recipe.json': claimed('Checkout', 'AC1'),
      'recipes/b.recipe.json': claimed('Refund', 'AC2'),
      'flows/shop.flows.json': catalog([{ description: 'loudly' }, { description: 'quietly' }]),
    },
    options,
  );
  // Each alternative of the pattern finds a test that no other alternative finds.
  expect(titles(await inner.run([...listing, '--grep', '@AC2|quietly']))).toEqual(['shop.speak: quietly', 'Refund']);
  const flows = ['shop.speak: loudly', 'shop.speak: quietly'];
  expect(titles(await inner.run([...listing, '--grep', 'Check|@flow']))).toEqual([...flows, 'Checkout']);
  expect(titles(await inner.run([...listing, '--grep-invert', '@flow']))).toEqual(['Checkout', 'Refund']);
});

test('--last-failed runs only the recipe that failed', async ({ project }) => {
  const inner = project(
    {
      'recipes/a.recipe.json': sound('Sound'),
      'recipes/b.recipe.json': recipe({ speak: exit(1) }, { title: 'Broken' }),
      'flows/shop.flows.json': catalog([
        { description: 'fine' },
        { description: 'wrong', expect: { path: '$.status', operator: 'eq', value: 'x' } },
      ]),
    },
    options,
  );
  expect(await inner.run()).toMatchObject({ exitCode: 1, passed: 2, failed: 2 });
  inner.write({ 'recipes/b.recipe.json': sound('Broken') });
  const again = await inner.run(['--last-failed']);
  expect(titles(again)).toEqual(['shop.speak: wrong', 'Broken']);
  expect(again).toMatchObject({ exitCode: 1, passed: 1, failed: 1 });
});

for (const shims of ['document', 'folder'] as const) {
  test(`shards divide the recipes one by one with a test file for each ${shims}`, async ({ project }) => {
    const files = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`recipes/x/${name}.recipe.json`, sound(`Of ${name}`)]),
    );
    const inner = project(files, { recipes: { shims } });
    const shards = [
      titles(await inner.run([...listing, '--shard=1/3'])),
      titles(await inner.run([...listing, '--shard=2/3'])),
      titles(await inner.run([...listing, '--shard=3/3'])),
    ];
    expect(shards.map((shard) => shard.length)).toEqual([2, 2, 2]);
    expect(new Set(shards.flat()).size).toBe(6);
  });
}

test('with a test file for each folder, recipes are found by name and line, a template is a test, and a grep for --list runs', async ({
  project,
}) => {
  const template = '---\ndescription: Says hello.\n---\n```template\nprintf hello\n```\n';
  const recipes = [...options.recipes.recipes, 'recipes/**/*.template.md'];
  const inner = project(
    {
      'recipes/x/a.recipe.json': sound('One title'),
      'recipes/x/b.recipe.json': sound('One title'),
      'recipes/x/broken.recipe.json': recipe({ speak: exit(1) }, { title: 'Broken' }),
      'recipes/y/invalid.recipe.json': { hello: 'world' },
      'recipes/z/a.recipe.json': sound('Tells of --list'),
      'recipes/z/b.recipe.json': sound('Other'),
      'recipes/z/greet.template.md': template,
      'flows/shop.flows.json': catalog([{ description: 'fine' }]),
    },
    { recipes: { recipes, shims: 'folder' } },
  );
  const all = await inner.run();
  expect(all).toMatchObject({ exitCode: 1, passed: 6, failed: 2 });
  expect(titles(all)).toEqual(expect.arrayContaining(['One title', 'One title (recipes/x/b)', 'shop.speak: fine']));
  expect([...all.packages.keys()].sort()).toEqual([
    'flows/shop.flows/shop.speak-1',
    'recipes/x/a',
    'recipes/x/b',
    'recipes/x/broken',
    'recipes/z/a',
    'recipes/z/b',
    'recipes/z/greet',
  ]);
  expect(all.stdout).toMatch(/at speak · command \(.*recipes\/x\/broken\.recipe\.json:\d+:9\)/);
  const listed = titles(await inner.run([...listing, 'recipes/x/b.recipe.json:9', 'broken.recipe.json', 'recipes/z/']));
  expect(listed).toEqual(['One title (recipes/x/b)', 'Broken', 'Tells of --list', 'Other', 'greet']);

  // These arguments look like a list.
  inner.write({ 'recipes/z/b.recipe.json': sound('Tells nothing of it') });
  expect(await inner.run(['-g', '--list'])).toMatchObject({ exitCode: 0, passed: 1 });
});

function commit({ dir }: Project): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid', ...args], { cwd: dir });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message=first');
}

test('--only-changed runs the examples of a changed catalog and the recipes that use the catalog', async ({ project }) => {
  const using = {
    ...recipe({ call: { action: 'call', ref: 'shop.speak' } }, { title: 'Using' }),
    uses: ['flows/shop.flows.json'],
  };
  const inner = project(
    {
      '.gitignore': 'node_modules\nrecipe-results\ntest-results\nreport.json\n',
      'recipes/using.recipe.json': using,
      'recipes/other.recipe.json': sound('Other'),
      'flows/shop.flows.json': catalog([{ description: 'before' }]),
    },
    options,
  );
  commit(inner);
  inner.write({ 'flows/shop.flows.json': catalog([{ description: 'after' }]) });
  expect(titles(await inner.run(['--only-changed'])).sort()).toEqual(['Using', 'shop.speak: after']);
});
