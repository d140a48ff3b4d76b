// The section of a recipe that each compiled node belongs to.
import { expect, test } from 'vitest';
import { listNodes } from '../../../../src/check/recipeNodes.js';
import { readDocument } from '../../../../src/document/readDocument.js';
import { recipeV1 } from '../../../../src/formats/classic/compile.js';

const wait = (rest: object = {}): object => ({ action: 'wait', duration_ms: 0, ...rest });
/** A node with one inner node in its body and one for its recovery. */
const group = (): object =>
  wait({ action: 'rw.group', body: { nodes: { inner: wait() } }, rw: { retry: { max: 2, recover: wait() } } });

test('a node and its inner nodes belong to the section that lists them, except that inner nodes of the start state belong to a flow', () => {
  const workflow = {
    setup: [wait({ ...group(), id: 's' })],
    entry: 'g',
    nodes: { g: group() },
    teardown: [wait({ ...group(), id: 't' })],
  };
  const json = {
    schema_version: 1,
    startState: group(),
    validate: { workflow },
    flows: { f: { entry: 'n', nodes: { n: group() } } },
  };
  const document = readDocument('a.recipe.json', Buffer.from(JSON.stringify(json))).document;
  const { compiled } = recipeV1.compile(document as NonNullable<typeof document>, () => ({}));
  const sections = listNodes((compiled as NonNullable<typeof compiled>).recipe).map(({ node }) => [node.pointer, node.section]);
  const withInner = (pointer: string, section: string, inside = section): [string, string][] => [
    [pointer, section],
    [`${pointer}/rw/retry/recover`, inside],
    [`${pointer}/body/nodes/inner`, inside],
  ];
  expect(sections).toEqual([
    ...withInner('/validate/workflow/nodes/g', 'graph'),
    ...withInner('/validate/workflow/setup/0', 'setup'),
    ...withInner('/startState', 'startState', 'flow'),
    ...withInner('/validate/workflow/teardown/0', 'teardown'),
    ...withInner('/flows/f/nodes/n', 'flow'),
  ]);
});
