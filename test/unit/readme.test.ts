// What the README shows is what the examples run.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const readme = read('README.md');

test('the README shows the setup module of the example as it is', () => {
  expect(readme).toContain(read('examples/shop/recipes.setup.ts'));
});

test('the README names every action that is built in', async () => {
  const { createRegistry } = await import('../../src/actions/registry.js');
  for (const name of createRegistry().keys()) expect(readme).toContain(`\`${name}\``);
});

test('the nodes of the README’s recipe stand in the example', () => {
  const { validate } = JSON.parse(read('examples/shop/recipes/checkout.recipe.json'));
  for (const id of ['open-shop', 'add-kettle']) {
    const { action, intent } = validate.workflow.nodes[id];
    expect(readme).toContain(`"action": "${action}"`);
    expect(readme).toContain(`"intent": "${intent}"`);
  }
});
