import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import { defineAction } from '../action.js';
import { evaluateWithPatternThread, requireDecision } from '../evaluateWithPatternThread.js';

export const switchAction = defineAction({
  name: 'switch',
  description: 'Continues at the first case whose condition holds, otherwise at the default.',
  schema: z.strictObject({}),
  examples: [
    {
      description: 'Branch on the exit code of an earlier command.',
      node: {
        action: 'switch',
        cases: [{ when: { path: '$.build.exitCode', operator: 'eq', value: 0 }, next: 'deploy' }],
        default: 'report',
      },
    },
  ],
  effect: 'none',
  planNext({ cases = [], fallback }) {
    const targets = new Map(cases.map(({ next }, index) => [String(index), next]));
    return { kind: 'cases', cases: fallback === undefined ? targets : targets.set('default', fallback) };
  },
  async run(_, { node, evaluate }) {
    const { cases = [] } = node;
    const index = await evaluateWithPatternThread(() => cases.findIndex(({ when }) => requireDecision(evaluate(when))));
    const next = index === -1 ? node.fallback : cases[index]?.next;
    if (next === undefined)
      throw new RecipeError('switch.no_match', 'action', 'No case of the switch holds, and the switch has no "default".');
    const name = index === -1 ? 'default' : String(index);
    return { output: { case: index === -1 ? 'default' : index, next }, case: name };
  },
});
