import * as z from 'zod';
import type { RecipeNode } from '../../recipe/recipe.js';
import { defineAction } from '../action.js';
import { commandStopMs, runCommand } from '../runCommand.js';

const shellText = z.string().regex(/\S/, 'must not be empty').optional();

const schema = z.strictObject({
  cmd: shellText.describe('A shell command.'),
  command: shellText.describe('The same as cmd.'),
  argv: z
    .tuple([z.string().min(1)], z.string())
    .optional()
    .describe('A program and its arguments, run without a shell.'),
  cwd: z.string().optional().describe('The working directory, relative to the project root.'),
  env: z.record(z.string(), z.string()).optional(),
  stdin: z.string().optional(),
  allow_failure: z.boolean().optional(),
  effect: z
    .enum(['user', 'reads'])
    .optional()
    .describe('reads: the command changes nothing, so a claim about the UI may depend on it.'),
});

type Fields = z.output<typeof schema>;

export const command = defineAction({
  name: 'command',
  description: 'Runs a command in the project directory and records its exit code and output.',
  schema,
  describeMissing,
  examples: [
    { description: 'A shell command.', node: { action: 'command', cmd: 'npm test -- api-smoke', timeout_ms: 120000 } },
    {
      description: 'A program with arguments, no shell.',
      node: { action: 'command', argv: ['node', 'price.mjs', '{{params.sku}}'] },
    },
  ],
  effect: ({ fields }) => (fields.effect === 'reads' ? 'reads' : 'user'),
  bypassesPage: true,
  fallible: (fields) => fields.allow_failure !== true,
  secretFields: ['env', 'stdin'],
  textFields: ['argv', 'env', 'stdin'],
  shellFields: ['cmd', 'command'],
  stopMs: commandStopMs,
  run: (fields, context) => runCommand({ ...fields, command: fields.argv ?? shellTextOf(fields) }, context),
});

function describeMissing({ fields: { cmd, command: alias, argv } }: RecipeNode): string | undefined {
  const count = Number(cmd !== undefined) + Number(alias !== undefined) + Number(argv !== undefined);
  if (count === 1) return undefined;
  return count === 0 ? '"cmd" or "argv"' : 'only one of "cmd", "command" and "argv"';
}

function shellTextOf({ cmd, command: alias }: Fields): string {
  return cmd ?? alias ?? '';
}
