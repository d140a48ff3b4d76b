import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import { defineAction } from '../action.js';

export const manual = defineAction({
  name: 'manual',
  description: 'Asks a person to do or judge something. Without an answer the run is unknown, never a pass.',
  schema: z.strictObject({ instruction: z.string().min(1).optional().describe('The task or question for the person.') }),
  examples: [
    {
      description: 'Check a printed label.',
      node: { action: 'manual', instruction: 'Compare the printed label with the order.' },
    },
  ],
  effect: 'user',
  asserts: true,
  fallible: () => true,
  timeoutMs: 3_600_000,
  async run({ instruction }, { node, path, ask, signal }) {
    const question = instruction ?? node.description ?? node.intent ?? path;
    const reply = await ask({ id: node.id, path, instruction: question, signal });
    const output = { manual: true, instruction: question, ...(reply ?? {}) };
    if (!reply) {
      const message = `The question was not answered: ${question}\nAnswer in a terminal, or with --answer ${node.id}=pass or ${node.id}=fail.`;
      return { output, failure: new RecipeError('manual.unanswered', 'undecided', message) };
    }
    const { answer } = reply;
    const { proofTarget } = node;
    const entry = { operator: 'manual', path: '$', expected: 'pass', actual: answer, held: answer === 'pass' };
    const asserts = [{ ...entry, ...(proofTarget === undefined ? {} : { proofTarget }) }];
    if (entry.held) return { output, asserts };
    return { output, asserts, failure: new RecipeError('manual.refused', 'assertion', `A person answered "fail": ${question}`) };
  },
});
