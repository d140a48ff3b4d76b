// Creates a project in a temporary directory whose setup module in TypeScript imports the package, like a user's.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cliProject, type Project } from './cli.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** File names may contain folders. The package `recipewright` is installed. */
export function setupProject(files: Record<string, unknown>): Project {
  const project = cliProject({});
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project.dir, name)), { recursive: true });
    writeFileSync(join(project.dir, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  mkdirSync(join(project.dir, 'node_modules'), { recursive: true });
  symlinkSync(root, join(project.dir, 'node_modules/recipewright'));
  return project;
}

/** A setup module with an action, a precondition, an operator and a state ref, in TypeScript that must be transpiled. */
export const shopSetup = `
import { defineAction, defineOperator, definePrecondition, defineSetup, defineStateRef, z } from 'recipewright';

type Cart = { items: number };
enum Price { Least = 1 }

const pay = defineAction({
  name: 'shop.pay',
  description: 'Pays the cart.',
  schema: z.strictObject({ amount: z.number().min(Price.Least) }),
  examples: [{ description: 'Two euros.', node: { action: 'shop.pay', amount: 2 } }],
  effect: 'user',
  fallible: () => true,
  run: ({ amount }) => ({ output: { paid: amount } }),
});

export default defineSetup({
  actions: [pay],
  preconditions: [
    definePrecondition({ id: 'shop.open', description: 'The shop is open.', failureKind: 'fixture', check: () => true }),
  ],
  operators: [
    defineOperator({ name: 'shop.is_price', description: 'A price in euros.', unary: true, holds: (value) => Number(value) > 0 }),
  ],
  stateRefs: [defineStateRef({ name: 'shop.cart', description: 'What is in the cart.', read: (): Cart => ({ items: 1 }) })],
});
`;
