// The code in the README is the code of the examples.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const readme = read('README.md');

test('the README shows the setup module of the example unchanged', () => {
  expect(readme).toContain(read('examples/shop/recipes.setup.ts'));
});

test('the README names every built-in action', async () => {
  const { createRegistry } = await import('../../src/registry/registry.js');
  for (const name of createRegistry().keys()) expect(readme).toContain(`\`${name}\``);
});

test('the nodes of the recipe in the README are in the example', () => {
  const { validate } = JSON.parse(read('examples/shop/recipes/checkout.recipe.json'));
  for (const id of ['open-shop', 'add-kettle']) {
    const { action, intent } = validate.workflow.nodes[id];
    expect(readme).toContain(`"action": "${action}"`);
    expect(readme).toContain(`"intent": "${intent}"`);
  }
});

test('the page about runtime recipes shows files of its example unchanged', () => {
  const page = read('docs/runtime-recipes.md');
  for (const name of ['manifests/fact-check.runtime.json', 'recipewright.config.mjs'])
    expect(page).toContain(read(`examples/desk/${name}`));
});

test('the manifest of the example has every type of node and edge', () => {
  const { topology } = JSON.parse(read('examples/desk/manifests/article.runtime.json'));
  const types = topology.nodes.map(({ type }: { type: string }) => type);
  expect([...new Set(types)].sort()).toEqual(['agent', 'human', 'logic', 'map', 'recipe']);
  const edges = topology.edges.map(({ condition, router_logic: router }: { condition?: string; router_logic?: unknown }) =>
    router === undefined
      ? condition === undefined
        ? 'plain'
        : 'condition'
      : typeof router === 'string'
        ? 'function'
        : 'expression',
  );
  expect([...new Set(edges)].sort()).toEqual(['condition', 'expression', 'function', 'plain']);
  expect(topology.nodes.some((node: { council_config?: unknown }) => node.council_config)).toBe(true);
});
