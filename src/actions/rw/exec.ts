import * as z from 'zod';
import { RecipeError } from '../../evidence/failure.js';
import { defineAction } from '../action.js';
import { commandStopMs, runCommand } from '../runCommand.js';

const word = z.string();

export const exec = defineAction({
  name: 'rw.exec',
  description:
    'Runs a program whose words are bound when it is reached: {name} stands for a value, and no shell reads the result.',
  schema: z.strictObject({
    words: z.tuple([word.min(1)], word).describe('The program and its arguments; {name} is replaced, {{ and }} are not read.'),
    values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    cwd: z.string().optional().describe('Relative to the project.'),
    env: z.record(z.string(), z.string()).optional(),
    allow_failure: z.boolean().optional(),
  }),
  examples: [
    { description: 'Greets a name.', node: { action: 'rw.exec', words: ['echo', 'hello {who}'], values: { who: 'world' } } },
  ],
  effect: 'user',
  fallible: (fields) => fields.allow_failure !== true,
  secretFields: ['env'],
  stopMs: commandStopMs,
  run({ words, values = {}, ...fields }, context) {
    const [program, ...args] = words.map((text) => bind(text, values));
    return runCommand({ ...fields, command: [program ?? '', ...args] }, context);
  },
});

// A value is put in once and never read again, so that what it holds is only ever a part of its word.
function bind(text: string, values: Readonly<Record<string, string | number | boolean>>): string {
  return text.replace(/\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
    if (Object.hasOwn(values, name)) return String(values[name]);
    const known = Object.keys(values).join(', ') || 'none';
    throw new RecipeError(
      'exec.unbound',
      'action',
      `{${name}} in ${JSON.stringify(text)} has no value. Given: ${known}. Nothing was run.`,
    );
  });
}
