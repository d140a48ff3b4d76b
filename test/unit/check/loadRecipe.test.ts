// The plan of a loaded recipe is created when it is first read, or at once if planning can find an error.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAction } from '../../../src/actions/action.js';
import { loadDocument } from '../../../src/check/loadRecipe.js';
import { readDocument } from '../../../src/document/readDocument.js';
import { capabilityNames, createCapabilities } from '../../../src/registry/capabilities.js';
import { createRegistry } from '../../../src/registry/registry.js';

const capabilities = createCapabilities();
const options = { ...capabilityNames(capabilities), registry: capabilities.registry, projectRoot: '/project' };
const done = { action: 'end', status: 'pass' };

const read = (nodes: object, flows?: object) => {
  const recipe = {
    schema_version: 1,
    title: 'T',
    validate: { workflow: { entry: 'first', nodes } },
    ...(flows ? { flows } : {}),
  };
  return readDocument('/project/a.recipe.json', Buffer.from(JSON.stringify(recipe, null, 2)));
};

test('a recipe without regions makes its plan when the plan is first read, and only once', () => {
  const look = { action: 'command', intent: 'Look at what is there', cmd: 'ls', next: 'done' };
  const { loaded, findings } = loadDocument(read({ first: look, done }), options);
  expect(findings).toEqual([]);
  expect(loaded?.plan.main).toMatchObject({ kind: 'walk', entry: 'first' });
  expect(loaded?.plan).toBe(loaded?.plan);
});

test('a project action that opens its own node in a cycle is refused before the run', () => {
  const endless = defineAction({
    name: 'shop.endless',
    description: 'Opens itself.',
    schema: z.looseObject({}),
    examples: [],
    effect: 'none',
    planRegion: (node) => ({ kind: 'each', child: node, limit: 1 }),
    run: () => ({}),
  });
  const first = { action: 'shop.endless', intent: 'Go round and round for ever', next: 'done' };
  const registry = createRegistry({ custom: [endless] });
  const { loaded, findings } = loadDocument(read({ first, done }), { ...options, registry });
  expect(loaded).toBeUndefined();
  expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([{ code: 'flow.call_cycle' }]);
});
