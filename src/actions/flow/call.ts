import * as z from 'zod';
import type { AssertionValues } from '../../engine/evaluateAssertion.js';
import { readKeys } from '../../engine/jsonPath.js';
import { toAssertEntry } from '../../evidence/assertEntry.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, type BodyResult, defineAction } from '../action.js';
import { evaluateWithPatternThread } from '../evaluateWithPatternThread.js';
import { createSchemaCheck } from '../jsonSchema.js';

export const call = defineAction({
  name: 'call',
  description: 'Runs a flow of the recipe or of its catalogs and checks its postcondition.',
  schema: z.strictObject({ ref: z.string().min(1), params: z.record(z.string(), z.unknown()).optional() }),
  examples: [
    {
      description: 'Make sure that the cart has one item.',
      node: { action: 'call', ref: 'shop.ensure_cart', params: { items: 1 } },
    },
  ],
  effect: 'none',
  fieldCodes: { ref: { missing: 'invalid_call_ref', invalid: 'invalid_call_ref' } },
  fallible: ({ ref }, flows) => flows.get(ref)?.postcondition !== undefined,
  planRegion(node, flows) {
    const { ref } = node.fields;
    const flow = typeof ref === 'string' ? flows.get(ref) : undefined;
    return flow && { kind: 'walk', entry: flow.entry, nodes: flow.nodes };
  },
  async run({ ref, params = {} }, { body, node, flows, evaluate, read }) {
    if (!body) throw new Error(`The flow ${ref} was not run.`);
    const output = { ref, status: body.status, outputs: Object.fromEntries(body.outputs) };
    if (body.status !== 'pass') return { output };
    const { postcondition, outputsSchema } = flows.get(ref) ?? {};
    const problem = outputsSchema && findOutputProblem(outputsSchema, body);
    if (problem !== undefined) {
      const message = `The outputs of flow ${ref} do not match its outputsSchema: ${problem}.`;
      return { output, failure: new RecipeError('call.invalid_outputs', 'assertion', message) };
    }
    if (!postcondition) return { output };
    const values = createPostconditionValues({ ...output, params }, body, read);
    const evaluation = await evaluateWithPatternThread(() => evaluate(postcondition, values));
    return { output, asserts: [toAssertEntry(postcondition, evaluation, node.proofTarget)] };
  },
});

// The schema may describe the output of the last node, as a postcondition does, or all outputs by node id.
function findOutputProblem(schema: Readonly<Record<string, unknown>>, { last, outputs }: BodyResult): string | undefined {
  const check = createSchemaCheck(schema);
  if ('problem' in check) return undefined;
  const [first] = check.findProblems(last ?? {});
  if (!first || check.findProblems(Object.fromEntries(outputs)).length === 0) return undefined;
  return `${first.keys.length > 0 ? `${JSON.stringify(first.keys.join('.'))} ` : ''}${first.message}`;
}

// A path without a source reads the fields of the last node's output, and `ref`, `status`, `outputs` and `params` of the call.
function createPostconditionValues(
  callValues: { params: unknown; outputs: object },
  { last }: BodyResult,
  read: ActionContext['read'],
): AssertionValues {
  const root = { ...(typeof last === 'object' && last !== null ? last : {}), ...callValues };
  const sources = { ...callValues.outputs, ...callValues };
  return {
    find: (source, keys) => {
      if (source === undefined) return readKeys(root, keys);
      return source.startsWith('state:') || source === 'inputs' ? read(source, keys) : readKeys(sources, [source, ...keys]);
    },
    param: (name) => readKeys(callValues.params, [name]),
  };
}
