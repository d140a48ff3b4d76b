// Which fields the ui.* actions take, before any page is there.
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

describe('a node of the ui', () => {
  const ui = officialDeclarations.filter(({ name }) => name.startsWith('ui.'));

  test('can be run, whichever of the eight it is', () => {
    const { registry } = createCapabilities({ fixtures: ['page'] });
    expect(ui.map(({ name }) => registry.has(name))).toEqual(Array.from({ length: 8 }, () => true));
  });

  test.for(ui.flatMap(({ name, examples }) => examples.map(({ node }) => [name, node] as const)))(
    '%s takes its example %j',
    ([, node]) => {
      expect(findingsOf(node as Node)).toEqual([]);
    },
  );

  test.for(ui.map(({ name, examples }) => [name, examples[0]?.node] as const))(
    '%s refuses a field that nobody knows',
    ([, node]) => {
      expect(findingsOf({ ...(node as Node), test_idd: 'x' })).toHaveLength(1);
    },
  );

  test.for<[string, Node]>([
    ['press without a target', { action: 'ui.press' }],
    ['a name without a role', { action: 'ui.press', name: 'Buy' }],
    ['x without y', { action: 'ui.press', x: 5 }],
    ['y without x', { action: 'ui.gesture', kind: 'long_press', test_id: 'a', y: 5 }],
    ['set_input without a value', { action: 'ui.set_input', test_id: 'a' }],
    ['set_input without a field', { action: 'ui.set_input', value: 'a' }],
    ['scroll of nothing into view', { action: 'ui.scroll', scroll_into_view: true }],
    ['a swipe without direction', { action: 'ui.gesture', kind: 'swipe', test_id: 'a' }],
    ['wait_for without anything', { action: 'ui.wait_for' }],
    ['an address that is to be absent', { action: 'ui.wait_for', url: '/login', expected: 'absent' }],
    ['no texts at all', { action: 'ui.wait_for', text_contains: [] }],
    ['an empty text', { action: 'ui.wait_for', text: '' }],
    ['a picture outside of the package', { action: 'ui.screenshot', path: '../a.png' }],
    ['a picture that is no PNG', { action: 'ui.screenshot', path: 'a.jpg' }],
    ['a picture of nothing', { action: 'ui.screenshot', clip: { x: 0, y: 0, width: 0, height: 5 } }],
    ['another answer to a dialog', { action: 'ui.press', text: 'Buy', dialog: 'maybe' }],
  ])('is refused: %s', ([, node]) => {
    expect(findingsOf(node)).toHaveLength(1);
  });
});
