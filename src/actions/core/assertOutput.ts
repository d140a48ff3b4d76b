import * as z from 'zod';
import type { Evaluation } from '../../engine/evaluateAssertion.js';
import type { PathResult } from '../../engine/jsonPath.js';
import { toAssertEntry } from '../../evidence/assertEntry.js';
import { RecipeError } from '../../evidence/recipeError.js';
import type { Assertion } from '../../recipe/recipe.js';
import { type ActionContext, defineAction } from '../action.js';
import { evaluateWithPatternThread } from '../evaluateWithPatternThread.js';
import { describeMissingSource, sourceFields } from './sourceFields.js';

const schema = z.strictObject({
  ...sourceFields,
  stream: z.string().default('stdout'),
  contains: z.string().min(1).optional(),
  match: z.string().min(1).optional(),
});

export const assertOutput = defineAction({
  name: 'assert_output',
  description: 'Checks what a former node printed, by `contains`, by the pattern `match`, or by an inline `assert`.',
  schema,
  examples: [
    { description: 'The report says so.', node: { action: 'assert_output', source: 'run-smoke', contains: '0 failed' } },
  ],
  effect: 'reads',
  sourceFields: Object.keys(sourceFields),
  patternFields: ['match'],
  asserts: true,
  readsAssert: true,
  describeMissing: (node) =>
    describeMissingSource(node) ??
    ((node.fields.contains ?? node.fields.match ?? node.assert) === undefined ? '"contains", "match" or "assert"' : undefined),
  fallible: () => true,
  async run(fields, context) {
    const { node, evaluate, param } = context;
    const source = fields.source ?? fields.node;
    const assertion = assertionOf(fields, node.assert);
    if (source === undefined) throw new RecipeError('assert_output.no_source', 'action', 'assert_output needs a source.');
    if (!assertion) throw new RecipeError('assert_output.no_check', 'action', 'assert_output needs contains, match or assert.');
    const find = (from: string | undefined, keys: readonly string[]): PathResult =>
      from === undefined || from === 'output'
        ? readSource(context, { source, stream: fields.stream, keys })
        : context.read(from, keys);
    const evaluation = await evaluateWithPatternThread(() => evaluate(assertion, { find, param }));
    refuseTruncated(context, { source, assertion, evaluation });
    return {
      output: { source, stream: fields.stream },
      asserts: [{ source, ...toAssertEntry(assertion, evaluation, node.proofTarget) }],
    };
  },
});

type SourceQuery = { source: string; stream: string; keys: readonly string[] };

// `$` is the text of the stream, any other path reads the whole output. What has no streams, such as a state ref, is all there is.
function readSource({ read }: ActionContext, { source, stream, keys }: SourceQuery): PathResult {
  if (keys.length > 0) return read(source, keys);
  const text = read(source, [stream]);
  if (text.found) return text;
  const all = read(source, []);
  return all.found && (source.startsWith('state:') || typeof all.value !== 'object') ? all : text;
}

type EvaluatedAssertion = { source: string; assertion: Assertion; evaluation: Evaluation };

function refuseTruncated({ read }: ActionContext, { source, assertion, evaluation }: EvaluatedAssertion): void {
  if (!evaluation.held || !assertsAbsence(assertion)) return;
  const output = read(source, []);
  if (!output.found || !isTruncated(output.value)) return;
  const message = `${source} printed more than is kept, so that what is not in the rest of it proves nothing.`;
  throw new RecipeError('assert_output.truncated', 'undecided', message);
}

function isTruncated(output: unknown): boolean {
  return typeof output === 'object' && output !== null && 'wasTruncated' in output;
}

const absenceOperators = new Set(['not_contains', 'neq', 'falsy', 'length_lt', 'length_lte', 'length_eq']);

function assertsAbsence(assertion: Assertion): boolean {
  if ('none' in assertion) return true;
  const parts = 'all' in assertion ? assertion.all : 'any' in assertion ? assertion.any : undefined;
  return parts ? parts.some(assertsAbsence) : absenceOperators.has((assertion as { operator?: string }).operator ?? 'truthy');
}

function assertionOf({ contains, match }: z.output<typeof schema>, given: Assertion | undefined): Assertion | undefined {
  if (contains !== undefined) return { operator: 'contains', value: contains };
  if (match !== undefined) return { operator: 'matches', value: match };
  return given;
}
