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
  description: 'Evaluates `assert` on the content of a JSON file of the project.',
  schema: z.strictObject({ path: projectPath.describe('Relative to the project root.') }),
  examples: [
    {
      description: 'The report has no failed test.',
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
    if (!assert) throw new RecipeError('assert_json.no_check', 'action', 'assert_json needs an "assert".');
    const document = parseJsonFile(path, context);
    const values: Pick<AssertionValues, 'find' | 'param'> = {
      find: (source, keys) =>
        source === undefined || source === 'output' ? readKeys(document, keys) : context.read(source, keys),
      param: context.param,
    };
    const entry = toAssertEntry(assert, await evaluateWithPatternThread(() => context.evaluate(assert, values)), proofTarget);
    const output = { path, assertion: assert };
    if (entry.held) return { output, asserts: [entry] };
    const message = `The assertion on ${path} failed: ${describeAssert(entry)}`;
    return { output, asserts: [entry], failure: new RecipeError('assertion.failed', 'assertion', message) };
  },
});

function parseJsonFile(path: string, { projectRoot }: ActionContext): unknown {
  const bytes = readProjectFile(projectRoot, path);
  if (!bytes) throw new RecipeError('assert_json.no_file', 'action', `There is no file ${path}.`);
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch (thrown) {
    // SyntaxError: the file is not valid JSON.
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new RecipeError('assert_json.not_json', 'action', `The file ${path} is not valid JSON: ${why}`, undefined, {
      cause: thrown,
    });
  }
}
