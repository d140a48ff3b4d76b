import * as z from 'zod';
import type { AssertionValues } from '../../engine/evaluateAssertion.js';
import { readKeys } from '../../engine/jsonPath.js';
import { describeAssert, toAssertEntry } from '../../evidence/assertEntry.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, defineAction } from '../action.js';
import { evaluateWithPatternThread } from '../evaluateWithPatternThread.js';
import { projectPath, readProjectFile } from './projectFile.js';

export const assertJson = defineAction({
  name: 'assert_json',
  description: 'Checks the content of a JSON file of the project by `assert`.',
  schema: z.strictObject({ path: projectPath.describe('Relative to the project.') }),
  examples: [
    {
      description: 'No test of the report failed.',
      node: { action: 'assert_json', path: 'reports/api.json', assert: { path: '$.failed', operator: 'eq', value: 0 } },
    },
  ],
  effect: 'reads',
  asserts: true,
  readsAssert: true,
  fallible: () => true,
  describeMissing: ({ assert }) => (assert === undefined ? '"assert"' : undefined),
  async run({ path }, context) {
    const { assert, proofTarget } = context.node;
    if (!assert) throw new RecipeError('assert_json.no_check', 'action', 'assert_json needs an assert.');
    const document = parseJsonFile(path, context);
    const values: Pick<AssertionValues, 'find' | 'param'> = {
      find: (source, keys) =>
        source === undefined || source === 'output' ? readKeys(document, keys) : context.read(source, keys),
      param: context.param,
    };
    const made = toAssertEntry(assert, await evaluateWithPatternThread(() => context.evaluate(assert, values)), proofTarget);
    const output = { path, assertion: assert };
    if (made.held) return { output, asserts: [made] };
    const message = `JSON ${path} failed: ${describeAssert(made)}`;
    return { output, asserts: [made], failure: new RecipeError('assertion.failed', 'assertion', message) };
  },
});

function parseJsonFile(path: string, { projectRoot }: ActionContext): unknown {
  const bytes = readProjectFile(projectRoot, path);
  if (!bytes) throw new RecipeError('assert_json.no_file', 'action', `There is no file ${path}.`);
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch (thrown) {
    // SyntaxError: what the product wrote is no JSON.
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new RecipeError('assert_json.not_json', 'action', `${path} is not JSON: ${why}`, undefined, { cause: thrown });
  }
}
