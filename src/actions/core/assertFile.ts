import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import { defineAction } from '../action.js';
import { projectPath, readProjectFile } from './projectFile.js';

export const assertFile = defineAction({
  name: 'assert_file',
  description: 'Checks that a file of the project exists and, with `contains`, holds a text.',
  schema: z.strictObject({
    path: projectPath.describe('Relative to the project.'),
    contains: z.string().min(1).optional(),
  }),
  examples: [
    {
      description: 'The report was written.',
      node: { action: 'assert_file', path: 'reports/api.json', contains: '"failed": 0' },
    },
  ],
  effect: 'reads',
  asserts: true,
  fallible: () => true,
  run({ path, contains }, { projectRoot, node: { proofTarget } }) {
    const bytes = readProjectFile(projectRoot, path);
    const target = proofTarget === undefined ? {} : { proofTarget };
    const exists = { operator: 'exists', path, actual: bytes !== undefined, held: bytes !== undefined, ...target };
    if (!bytes)
      return { asserts: [exists], failure: new RecipeError('assertion.failed', 'assertion', `There is no file ${path}.`) };
    const output = { path, sizeBytes: bytes.length };
    if (contains === undefined) return { output, asserts: [exists] };
    const held = bytes.includes(contains);
    const holds = { operator: 'contains', path, expected: contains, actual: bytes.subarray(0, 300).toString(), held, ...target };
    if (held) return { output, asserts: [exists, holds] };
    const message = `File ${path} does not contain expected text ${JSON.stringify(contains)}.`;
    return { output, asserts: [exists, holds], failure: new RecipeError('assertion.failed', 'assertion', message) };
  },
});
