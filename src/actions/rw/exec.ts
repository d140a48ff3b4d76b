import * as z from 'zod';
import { RecipeError } from '../../evidence/failure.js';
import { codeReferences, refuseOptions } from '../../graph/codeReferences.js';
import { readKeys } from '../../graph/path.js';
import { OptionValue } from '../../graph/shellText.js';
import { UnresolvedReference } from '../../graph/template.js';
import { defineAction } from '../action.js';
import { commandStopMs, runCommand } from '../runCommand.js';

const word = z.string();

export const exec = defineAction({
  name: 'rw.exec',
  description:
    'Runs a program whose words are bound when it is reached: {name} stands for a value, and no shell reads the result.',
  schema: z.strictObject({
    argv: z.tuple([word.min(1)], word).describe('The program and its arguments, in which {name} stands for a value.'),
    values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    cwd: z.string().optional().describe('Relative to the project.'),
    env: z.record(z.string(), z.string()).optional(),
    allow_failure: z.boolean().optional(),
  }),
  examples: [
    { description: 'Greets a name.', node: { action: 'rw.exec', argv: ['echo', 'hello {who}'], values: { who: 'world' } } },
  ],
  effect: 'user',
  fallible: (fields) => fields.allow_failure !== true,
  lacks: ({ fields: { argv } }) => lacking(argv),
  secretFields: ['env'],
  textFields: ['argv', 'env'],
  // None of its fields is shell text, but its words are judged like those of a command.
  shellFields: [],
  stopMs: commandStopMs,
  run({ argv, values = {}, ...fields }, context) {
    const lack = lacking(argv);
    if (lack !== undefined) throw new RecipeError('exec.value_as_code', 'harness', `rw.exec needs ${lack}. Nothing was run.`);
    refuseValues(argv, values);
    const [program, ...args] = argv.map((text) => bind(text, values));
    return runCommand({ ...fields, command: [program ?? '', ...args] }, context);
  },
});

const placeholder = /\{([A-Za-z_]\w*)\}/g;

/** Its placeholders as references, for those who judge what a program makes of its words. */
function asReferences(argv: unknown): unknown {
  return Array.isArray(argv)
    ? argv.map((text) => String(text).replace(/(?<!\{)\{([A-Za-z_]\w*)\}(?!\})/g, '{{values.$1}}'))
    : argv;
}

function lacking(argv: unknown): string | undefined {
  const all = codeReferences({ argv: asReferences(argv) }, { shellFields: [], bound: [] });
  // References of the recipe itself have a rule of their own.
  const refused = all.find(({ name }) => name.startsWith('values.'));
  return refused && `a word without {${refused.name.slice('values.'.length)}} where ${refused.reader} reads code`;
}

function refuseValues(argv: readonly string[], values: object): void {
  try {
    refuseOptions(asReferences(argv), ([, ...keys]) => readKeys(values, keys));
  } catch (thrown) {
    if (thrown instanceof OptionValue) throw new RecipeError('command.option_value', 'action', thrown.message);
    // A placeholder without a value is told of by its word.
    if (!(thrown instanceof UnresolvedReference)) throw thrown;
  }
}

// A value is put in once and never read again, so that what it holds is only ever a part of its word.
function bind(text: string, values: Readonly<Record<string, string | number | boolean>>): string {
  return text.replace(placeholder, (_, name: string) => {
    if (Object.hasOwn(values, name)) return String(values[name]);
    const known = Object.keys(values).join(', ') || 'none';
    const message = `{${name}} in ${JSON.stringify(text)} has no value. Given: ${known}. Nothing was run.`;
    throw new RecipeError('exec.unbound', 'action', message);
  });
}
