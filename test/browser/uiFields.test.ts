// The fields of the ui actions, checked without a page.
import { describe, expect, test } from 'vitest';
import { officialDeclarations } from '../../src/actions/vocabulary.js';
import { loadDocument } from '../../src/check/loadRecipe.js';
import { readDocument } from '../../src/document/readDocument.js';
import { createCapabilities } from '../../src/registry/capabilities.js';
import { type Node, recipe } from '../support/recipe.js';

function findingsOf(node: Node): string[] {
  const text = Buffer.from(JSON.stringify(recipe({ node })));
  const { findings } = loadDocument(readDocument('/lab/a.recipe.json', text), {
    registry: createCapabilities().registry,
    projectRoot: '/lab',
  });
  return findings.filter(({ severity }) => severity === 'error').map(({ code, message }) => `${code}: ${message}`);
}

describe('ui actions', () => {
  const ui = officialDeclarations.filter(({ name }) => name.startsWith('ui.'));

  test('all eight ui actions are executable', () => {
    const { registry } = createCapabilities({ fixtures: ['page'] });
    expect(ui.map(({ name }) => registry.has(name))).toEqual(Array.from({ length: 8 }, () => true));
  });

  test.for(ui.flatMap(({ name, examples }) => examples.map(({ node }) => [name, node] as const)))(
    '%s accepts its example %j',
    ([, node]) => {
      expect(findingsOf(node as Node)).toEqual([]);
    },
  );

  test.for(ui.map(({ name, examples }) => [name, examples[0]?.node] as const))('%s refuses an unknown field', ([, node]) => {
    expect(findingsOf({ ...(node as Node), test_idd: 'x' })).toHaveLength(1);
  });

  test.for<[string, Node]>([
    ['press without a target', { action: 'ui.press' }],
    ['a name without a role', { action: 'ui.press', name: 'Buy' }],
    ['x without y', { action: 'ui.press', x: 5 }],
    ['y without x', { action: 'ui.gesture', kind: 'long_press', test_id: 'a', y: 5 }],
    ['set_input without a value', { action: 'ui.set_input', test_id: 'a' }],
    ['set_input without a field', { action: 'ui.set_input', value: 'a' }],
    ['scroll into view without a target', { action: 'ui.scroll', scroll_into_view: true }],
    ['a swipe without direction', { action: 'ui.gesture', kind: 'swipe', test_id: 'a' }],
    ['wait_for without a condition', { action: 'ui.wait_for' }],
    ['an absent URL', { action: 'ui.wait_for', url: '/login', expected: 'absent' }],
    ['an empty list of texts', { action: 'ui.wait_for', text_contains: [] }],
    ['an empty text', { action: 'ui.wait_for', text: '' }],
    ['a screenshot outside the package', { action: 'ui.screenshot', path: '../a.png' }],
    ['a screenshot that is not a PNG', { action: 'ui.screenshot', path: 'a.jpg' }],
    ['a screenshot with an empty clip', { action: 'ui.screenshot', clip: { x: 0, y: 0, width: 0, height: 5 } }],
    ['an unknown answer to a dialog', { action: 'ui.press', text: 'Buy', dialog: 'maybe' }],
  ])('the check refuses %s', ([, node]) => {
    expect(findingsOf(node)).toHaveLength(1);
  });
});
