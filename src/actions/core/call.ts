import { z } from 'zod';
import { toAssert } from '../../evidence/assert.js';
import { readKeys } from '../../graph/path.js';
import { evaluate, type Values } from '../../graph/predicate.js';
import { type BodyResult, defineAction } from '../action.js';

export const call = defineAction({
  name: 'call',
  description: 'Runs a flow from the recipe or its catalogs as a child graph and proves its postcondition.',
  schema: z.strictObject({ ref: z.string().min(1), params: z.record(z.string(), z.unknown()).optional() }),
  examples: [
    { description: 'Converge the cart to one item.', node: { action: 'call', ref: 'shop.ensure_cart', params: { items: 1 } } },
  ],
  effect: 'none',
  fieldCodes: { ref: { missing: 'invalid_call_ref', invalid: 'invalid_call_ref' } },
  fallible: ({ ref }, flows) => flows.get(ref)?.postcondition !== undefined,
  opens(node, flows) {
    const { ref } = node.fields;
    const flow = typeof ref === 'string' ? flows.get(ref) : undefined;
    return flow && { kind: 'walk', entry: flow.entry, nodes: flow.nodes };
  },
  run({ ref, params = {} }, { body, node, flows }) {
    if (!body) throw new Error(`The flow ${ref} was not run.`);
    const output = { ref, status: body.status, outputs: Object.fromEntries(body.outputs) };
    const postcondition = flows.get(ref)?.postcondition;
    if (body.status !== 'pass' || !postcondition) return { output };
    const evaluation = evaluate(postcondition, postconditionValues({ ...output, params }, body));
    return { output, asserts: [toAssert(postcondition, evaluation, node.proofTarget)] };
  },
});

// The output of the flow's last node lies open, with the roll-up beside it.
function postconditionValues(rollUp: { params: unknown; outputs: object }, { last }: BodyResult): Values {
  const root = { ...(typeof last === 'object' && last !== null ? last : {}), ...rollUp };
  const sources = { ...rollUp.outputs, ...rollUp };
  return {
    find: (source, keys) => (source === undefined ? readKeys(root, keys) : readKeys(sources, [source, ...keys])),
    param: (name) => readKeys(rollUp.params, [name]),
  };
}
