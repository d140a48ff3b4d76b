import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import { defineAction } from '../action.js';
import { projectPath, readProjectFile } from './projectFile.js';

export const assertFile = defineAction({
  name: 'assert_file',
  description: 'Checks that a project file exists and, with `contains`, that it contains a string.',
  schema: z.strictObject({
    path: projectPath.describe('Relative to the project root.'),
    contains: z.string().min(1).optional(),
  }),
  examples: [
    {
      description: 'The report exists and has no failed test.',
      node: { action: 'assert_file', path: 'reports/api.json', contains: '"failed": 0' },
    },
  ],
  effect: 'reads',
  asserts: true,
  fallible: () => true,
  run({ path, contains }, { projectRoot, node: { proofTarget } }) {
    const bytes = readProjectFile(projectRoot, path);
    const target = proofTarget === undefined ? {} : { proofTarget };
    const existsEntry = { operator: 'exists', path, actual: bytes !== undefined, held: bytes !== undefined, ...target };
    if (!bytes)
      return { asserts: [existsEntry], failure: new RecipeError('assertion.failed', 'assertion', `There is no file ${path}.`) };
    const output = { path, sizeBytes: bytes.length };
    if (contains === undefined) return { output, asserts: [existsEntry] };
    const held = bytes.includes(contains);
    const actual = bytes.subarray(0, 300).toString();
    const containsEntry = { operator: 'contains', path, expected: contains, actual, held, ...target };
    const asserts = [existsEntry, containsEntry];
    if (held) return { output, asserts };
    const message = `File ${path} does not contain the expected text ${JSON.stringify(contains)}.`;
    return { output, asserts, failure: new RecipeError('assertion.failed', 'assertion', message) };
  },
});
