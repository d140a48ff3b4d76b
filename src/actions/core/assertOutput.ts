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
  description: 'Checks the output of an earlier node with `contains`, the regular expression `match`, or an inline `assert`.',
  schema,
  examples: [
    {
      description: 'The test command printed "0 failed".',
      node: { action: 'assert_output', source: 'run-smoke', contains: '0 failed' },
    },
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
    if (source === undefined) throw new RecipeError('assert_output.no_source', 'action', 'assert_output needs a "source".');
    if (!assertion)
      throw new RecipeError('assert_output.no_check', 'action', 'assert_output needs "contains", "match" or "assert".');
    const find = (name: string | undefined, keys: readonly string[]): PathResult =>
      name === undefined || name === 'output'
        ? readSource(context, { source, stream: fields.stream, keys })
        : context.read(name, keys);
    const evaluation = await evaluateWithPatternThread(() => evaluate(assertion, { find, param }));
    refuseTruncated(context, { source, assertion, evaluation });
    return {
      output: { source, stream: fields.stream },
      asserts: [{ source, ...toAssertEntry(assertion, evaluation, node.proofTarget) }],
    };
  },
});

type SourceQuery = { source: string; stream: string; keys: readonly string[] };

// The path `$` reads the stream, every other path the whole output. For a source without streams, such as a state ref, `$` is
// the whole value.
function readSource({ read }: ActionContext, { source, stream, keys }: SourceQuery): PathResult {
  if (keys.length > 0) return read(source, keys);
  const streamText = read(source, [stream]);
  if (streamText.found) return streamText;
  const output = read(source, []);
  return output.found && (source.startsWith('state:') || typeof output.value !== 'object') ? output : streamText;
}

type EvaluatedAssertion = { source: string; assertion: Assertion; evaluation: Evaluation };

function refuseTruncated({ read }: ActionContext, { source, assertion, evaluation }: EvaluatedAssertion): void {
  if (!evaluation.held || !assertsAbsence(assertion)) return;
  const output = read(source, []);
  if (!output.found || !isTruncated(output.value)) return;
  const message = `The output of ${source} was truncated, so an assertion that something is missing from it proves nothing. Print less, or assert on a file.`;
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

function assertionOf({ contains, match }: z.output<typeof schema>, inline: Assertion | undefined): Assertion | undefined {
  if (contains !== undefined) return { operator: 'contains', value: contains };
  if (match !== undefined) return { operator: 'matches', value: match };
  return inline;
}
