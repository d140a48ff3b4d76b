import * as z from 'zod';
import type { Evaluation } from '../../engine/evaluateAssertion.js';
import { toAssertEntry } from '../../evidence/assertEntry.js';
import { RecipeError } from '../../evidence/recipeError.js';
import type { Assertion, RecipeNode } from '../../recipe/recipe.js';
import { type ActionContext, type ActionResult, defineAction } from '../action.js';
import { evaluateWithPatternThread } from '../evaluateWithPatternThread.js';
import { describeEnd, type Service } from './service.js';
import { requireService, serviceName } from './serviceName.js';

const schema = z.strictObject({
  name: serviceName,
  contains: z.string().min(1).optional(),
  pattern: z.string().min(1).optional().describe('A regular expression that must match.'),
});

type Fields = z.output<typeof schema>;

export const serviceWaitLog = defineAction({
  name: 'service.wait_log',
  description: 'Waits until the output of a service since its start contains a text or matches a pattern.',
  schema,
  examples: [
    {
      description: 'The worker has finished the job.',
      node: { action: 'service.wait_log', name: 'worker', contains: 'job 17 done' },
    },
  ],
  effect: 'reads',
  asserts: true,
  patternFields: ['pattern'],
  fallible: () => true,
  describeMissing: ({ fields }) => describeCondition(fields),
  run: waitForText,
});

function describeCondition({ contains, pattern }: RecipeNode['fields']): string | undefined {
  if (contains !== undefined && pattern !== undefined) return 'only one of "contains" and "pattern"';
  return (contains ?? pattern) === undefined ? '"contains" or "pattern"' : undefined;
}

/** The time before the timeout that is reserved for the failure message. */
const maxReserveMs = 300;
const pollMs = 100;
/** A pattern is matched against at most this many characters from the end of the output. */
const maxPatternLength = 1_000_000;

async function waitForText(fields: Fields, context: ActionContext): Promise<ActionResult> {
  const problem = describeCondition(fields);
  if (problem !== undefined) throw new RecipeError('service.invalid_condition', 'action', `service.wait_log needs ${problem}.`);
  const { services, remainingMs, signal, clock, node } = context;
  const service = requireService(services, fields.name);
  const assertion: Assertion =
    fields.contains === undefined
      ? { operator: 'matches', value: fields.pattern }
      : { operator: 'contains', value: fields.contains };
  const reserveMs = Math.min(maxReserveMs, remainingMs() / 4);
  for (;;) {
    const hasEnded = service.result !== undefined;
    const isOver = hasEnded || signal.aborted || remainingMs() <= reserveMs;
    const evaluation = await evaluateLog(service, assertion, context);
    if (evaluation.held || isOver || evaluation.problem !== undefined) {
      const { problem: undecided, ...settled } = evaluation;
      if (undecided !== undefined) throw new RecipeError('service.undecided', 'undecided', undecided);
      // Without `actual`, because the whole log is already an artifact.
      const { actual: _, ...recorded } = toAssertEntry(assertion, settled, node.proofTarget);
      const { operator, path, held } = recorded;
      const entry = { ...recorded, operator, path, held, source: `service ${service.name}` };
      const output = { name: service.name, matched: evaluation.held };
      return { output, asserts: [entry], ...(evaluation.held ? {} : { failure: notFound(service, fields) }) };
    }
    await service.waitForChange(Math.max(1, Math.min(pollMs, remainingMs() - reserveMs)), (ms, then) => clock.after(ms, then));
  }
}

async function evaluateLog(service: Service, assertion: Assertion, { evaluate, param }: ActionContext): Promise<Evaluation> {
  const text = service.output.bytes.toString();
  const value = 'operator' in assertion && assertion.operator === 'matches' ? text.slice(-maxPatternLength) : text;
  return evaluateWithPatternThread(() => evaluate(assertion, { find: () => ({ found: true, value }), param }));
}

function notFound(service: Service, { contains, pattern }: Fields): RecipeError {
  const condition =
    contains === undefined ? `does not match ${JSON.stringify(pattern)}` : `does not contain ${JSON.stringify(contains)}`;
  const end = service.result ? ` The service has ended: ${describeEnd(service.result)}.` : '';
  const { lastLines } = service;
  const message = `The output of the service ${JSON.stringify(service.name)} ${condition}.${end}${lastLines === '' ? ' The service wrote no output.' : `\n${lastLines}`}`;
  return new RecipeError('service.text_not_found', 'assertion', message);
}
