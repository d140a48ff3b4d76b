// A project with unused parts: a branch, a flow of a catalog, a whole catalog, and a custom action.
import { recipe } from './recipe.js';
import { setupFile } from './setupFile.js';

const end = { action: 'end', status: 'pass' };
const looks = { action: 'command', intent: 'Look at the shelf', effect: 'reads', argv: ['node', '-p', '1'] };
const flow = (nodes: object) => ({
  ...{ version: 1, description: 'Something with the shelf.', postcondition: { path: '$.exitCode', operator: 'eq', value: 0 } },
  workflow: { entry: 'look', nodes: { ...nodes, done: end } },
});
const choose = {
  ...{ action: 'switch', intent: 'Choose by what is there', default: 'done' },
  cases: [{ when: { source: 'look', path: '$.exitCode', operator: 'eq', value: 0 }, next: 'again' }],
};
const catalog = (flows: object) => ({ schema_version: 1, kind: 'recipe-flow-catalog', owner: 'shop', flows });

export const unusedParts = {
  'recipes.setup.ts': setupFile({ 'lab.used': 'return { output: 1 };', 'lab.unused': 'return { output: 1 };' }),
  'recipes/a.recipe.json': recipe(
    { call: { action: 'call', ref: 'shelf.look' }, use: { action: 'lab.used' } },
    { uses: ['recipes/shelf.flows.json'] },
  ),
  'recipes/shelf.flows.json': catalog({
    'shelf.look': flow({ look: { ...looks, next: 'choose' }, choose, again: { ...looks, next: 'done' } }),
    'shelf.fill': flow({ look: { ...looks, next: 'done' } }),
  }),
  'recipes/old/forgotten.flows.json': catalog({ 'old.forgotten': flow({ look: { ...looks, next: 'done' } }) }),
};

/** The section of index.md about unused parts. */
export const unusedPaths = `## Paths taken by the whole suite

- branches: 1 of 2
  - never taken: Flow shelf.look: choose, otherwise
- flows: 1 of 3
  - never taken: old.forgotten
  - never taken: shelf.fill
- actions: 5 of 6
  - never taken: lab.unused
`;
