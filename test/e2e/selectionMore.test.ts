import { execFileSync } from 'node:child_process';
import { expect, type Project, type Run, test } from '../support/project.js';
import { exit, hears, recipe, say, sound } from '../support/recipe.js';
import { testsIn } from '../support/report.js';

// Which tests a run would have is asked of the list where nothing else is of interest: it costs half of a run.
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

test('recipes and examples are selected by a claim, by a word of the title and by their kind', async ({ project }) => {
  const inner = project(
    {
      'recipes/a.recipe.json': claimed('Checkout', 'AC1'),
      'recipes/b.recipe.json': claimed('Refund', 'AC2'),
      'flows/shop.flows.json': catalog([{ description: 'loudly' }, { description: 'quietly' }]),
    },
    options,
  );
  expect(titles(await inner.run([...listing, '--grep', '@AC2']))).toEqual(['Refund']);
  expect(titles(await inner.run([...listing, '--grep', 'Check']))).toEqual(['Checkout']);
  expect(titles(await inner.run([...listing, '--grep', 'quietly']))).toEqual(['shop.speak: quietly']);
  expect(titles(await inner.run([...listing, '--grep', '@flow']))).toHaveLength(2);
  expect(titles(await inner.run([...listing, '--grep-invert', '@flow']))).toEqual(['Checkout', 'Refund']);
});

test('what failed last is run again, alone', async ({ project }) => {
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

test('a recipe that is repeated keeps a package for each time, and one that is tried again is shown as flaky', async ({
  project,
}) => {
  const second = 'test -e tried || { touch tried; exit 1; }';
  const inner = project({
    'recipes/a.recipe.json': sound(),
    'recipes/flaky.recipe.json': recipe({ speak: { action: 'command', cmd: second } }),
  });
  const repeated = await inner.run(['a.recipe.json', '--repeat-each=3']);
  expect(repeated).toMatchObject({ exitCode: 0, passed: 3 });
  expect([...repeated.packages.keys()].sort()).toEqual(['recipes/a', 'recipes/a--repeat1', 'recipes/a--repeat2']);
  const flaky = await inner.run(['flaky.recipe.json', '--retries=1']);
  expect(flaky).toMatchObject({ exitCode: 0, flaky: 1, failed: 0 });
  expect(flaky.stdout).toMatch(/^ {2}flaky {3}recipes\/flaky/m);
  expect(flaky.packages.get('.attempts/recipes/flaky/0')?.summary.status).toBe('fail');
});

for (const shims of ['document', 'folder'] as const) {
  test(`shards share the recipes out one by one with a test file for each ${shims}`, async ({ project }) => {
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

test('with a test file for each folder a recipe is still found by name and line, and fails at its own place', async ({
  project,
}) => {
  const inner = project(
    {
      'recipes/x/a.recipe.json': sound('One title'),
      'recipes/x/b.recipe.json': sound('One title'),
      'recipes/x/broken.recipe.json': recipe({ speak: exit(1) }, { title: 'Broken' }),
      'recipes/y/invalid.recipe.json': { hello: 'world' },
      'flows/shop.flows.json': catalog([{ description: 'fine' }]),
    },
    { recipes: { ...options.recipes, shims: 'folder' } },
  );
  const all = await inner.run();
  expect(all).toMatchObject({ exitCode: 1, passed: 3, failed: 2 });
  expect(titles(all)).toEqual(expect.arrayContaining(['One title', 'One title (recipes/x/b)', 'shop.speak: fine']));
  expect([...all.packages.keys()].sort()).toEqual([
    'flows/shop.flows/shop.speak-1',
    'recipes/x/a',
    'recipes/x/b',
    'recipes/x/broken',
  ]);
  expect(titles(await inner.run([...listing, 'recipes/x/b.recipe.json:9']))).toEqual(['One title (recipes/x/b)']);
  expect(titles(await inner.run([...listing, 'broken.recipe.json']))).toEqual(['Broken']);
  expect(all.stdout).toMatch(/at speak · command \(.*recipes\/x\/broken\.recipe\.json:\d+:9\)/);
});

test('with a test file for each folder a template in Markdown is read as one', async ({ project }) => {
  const text = '---\ndescription: Says hello.\n---\n```template\nprintf hello\n```\n';
  const files = { 'recipes/x/a.recipe.json': sound('First'), 'recipes/x/greet.template.md': text };
  const recipes = ['recipes/**/*.recipe.json', 'recipes/**/*.template.md'];
  const run = await project(files, { recipes: { recipes, shims: 'folder' } }).run(['--list']);
  expect(titles(run)).toEqual(['First', 'greet']);
});

test('a run that looks like a list to whoever reads its arguments finds its tests all the same', async ({ project }) => {
  const files = { 'recipes/x/a.recipe.json': sound('Tells of --list'), 'recipes/x/b.recipe.json': sound('Other') };
  const inner = project(files, { recipes: { shims: 'folder' } });
  expect(await inner.run()).toMatchObject({ exitCode: 0, passed: 2 });
  inner.write({ 'recipes/x/b.recipe.json': sound('Tells nothing of it') });
  expect(await inner.run(['-g', '--list'])).toMatchObject({ exitCode: 0, passed: 1 });
});

function commit({ dir }: Project): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid', ...args], { cwd: dir });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message=first');
}

test('with --only-changed a catalog that changed brings its examples and the recipes that use it', async ({ project }) => {
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
