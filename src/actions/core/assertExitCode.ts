import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import { defineAction } from '../action.js';
import { describeMissingSource, sourceFields } from './sourceFields.js';

export const assertExitCode = defineAction({
  name: 'assert_exit_code',
  description: 'Checks the exit code of an earlier command.',
  schema: z.strictObject({ ...sourceFields, expected: z.int().default(0) }),
  examples: [{ description: 'The linter reports an error.', node: { action: 'assert_exit_code', source: 'lint', expected: 1 } }],
  effect: 'reads',
  sourceFields: Object.keys(sourceFields),
  asserts: true,
  fallible: () => true,
  describeMissing: describeMissingSource,
  run({ source: sourceField, node: nodeField, expected }, { read, node: { proofTarget } }) {
    const source = sourceField ?? nodeField ?? '';
    const exitCode = read(source, ['exitCode']);
    const actual = exitCode.found ? { actual: exitCode.value } : { missing: true as const };
    const held = exitCode.found && exitCode.value === expected;
    const target = proofTarget === undefined ? {} : { proofTarget };
    const entry = { operator: 'eq', source, path: '$.exitCode', expected, ...actual, held, ...target };
    const result = { output: { source, expected, ...('actual' in actual ? actual : {}) }, asserts: [entry] };
    if (held) return result;
    const received = exitCode.found ? `received ${JSON.stringify(exitCode.value)}` : 'which is missing';
    const message = `${source}.exitCode expected eq ${expected}, ${received}.`;
    return { ...result, failure: new RecipeError('assertion.failed', 'assertion', message) };
  },
});
