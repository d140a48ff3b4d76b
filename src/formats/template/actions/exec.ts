// A command template leaf: its words are filled when it is reached, from what the caller gave and what its author set.
import * as z from 'zod';
import { type ActionContext, type ActionResult, defineAction } from '../../../actions/action.js';
import { commandStopMs, runCommand } from '../../../actions/runCommand.js';
import { UnresolvedReference } from '../../../engine/references.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { rejectOptionValues } from '../../../shell/codeReferences.js';
import { OptionValueError } from '../../../shell/shellText.js';
import { coerceTypes } from '../coerceArgs.js';
import { numberOf, repeatOf, roundValues } from '../controls.js';
import { parseDeclarations } from '../declarations.js';
import { withContext } from '../recipeContext.js';
import { bindWords } from '../resolveArgv.js';
import { isTemplateError, type TemplateError } from '../templateError.js';
import { honestValues, type Layer, type TemplateValues } from '../templateValues.js';
import { asReferences, valueAsCode } from '../valueAsCode.js';
import { withTimeLimit } from './withTimeLimit.js';

const word = z.string();
const layer = z.record(z.string(), z.unknown());
const amount = z.union([z.number().min(0), z.string()]);
const round = z.strictObject({ index: z.int().min(0).optional(), repeat: z.union([z.int().min(1), z.string()]) });

const schema = z.strictObject({
  argv: z.tuple([word.min(1)], word).describe('The program and its arguments, in which {name} stands for a value.'),
  values: layer.optional().describe('What the caller gives: data, in which nothing is filled in.'),
  defaults: layer.optional().describe('What is used where the caller gives nothing; a text may refer to other values.'),
  set: layer.optional().describe('What the caller has no say in: it comes before "values".'),
  args: z.array(z.unknown()).optional().describe('Declared arguments, name[:type][=default].'),
  round: round.optional().describe('Which turn of a repetition it is; without "index" that of the rw.each around it.'),
  delays: z.array(amount).optional().describe('Milliseconds to wait before it begins.'),
  timeout: amount.optional().describe('Milliseconds it may take, when that is a value too.'),
  context: z.string().optional().describe('What is said after the prompt of a program that asks a language model.'),
  cwd: z.string().optional().describe('Relative to the project.'),
  env: z.record(z.string(), z.string()).optional(),
  allow_failure: z.boolean().optional(),
});

export const exec = defineAction({
  name: 'rw.exec',
  description:
    'Runs a program whose words are bound when it is reached: {name} stands for a value, and no shell reads the result.',
  schema,
  examples: [
    { description: 'Greets a name.', node: { action: 'rw.exec', argv: ['echo', 'hello {who}'], values: { who: 'world' } } },
  ],
  effect: 'user',
  fallible: (fields) => fields.allow_failure !== true,
  describeMissing: ({ fields: { argv } }) => lacking(argv),
  secretFields: ['env'],
  textFields: ['argv', 'env'],
  // None of its fields is shell text, but its words are judged like those of a command.
  shellFields: [],
  stopMs: commandStopMs,
  async run(fields, context) {
    const { argv, cwd, env, allow_failure } = fields;
    const lack = lacking(argv);
    if (lack !== undefined) throw new RecipeError('exec.value_as_code', 'harness', `rw.exec needs ${lack}. Nothing was run.`);
    const { words, delayMs, limitMs } = bound(fields, context);
    if (delayMs > 0) await pause(delayMs, context);
    const [program = '', ...args] = words;
    const limited = withTimeLimit(context, limitMs);
    try {
      const ran = await runCommand({ cwd, env, allow_failure, command: [program, ...args] }, limited.context);
      const result = withWords(ran, words);
      return limited.isOver() && !result.failure ? { ...result, failure: tooLong(limitMs, words) } : result;
    } finally {
      limited.withdraw();
    }
  },
});

/** What was started stands in the report beside what came of it. */
function withWords({ output, recorded, ...rest }: ActionResult, argv: readonly string[]): ActionResult {
  return { ...rest, output: { argv, ...Object(output) }, recorded: { argv, ...Object(recorded) } };
}

// It may have ended well after it was told to stop, which is no success.
function tooLong(limitMs: number, words: readonly string[]): RecipeError {
  return new RecipeError('command.timed_out', 'action', `Command took longer than its ${limitMs} ms: ${words.join(' ')}`);
}

type Fields = z.output<typeof schema>;
type Bound = { words: string[]; delayMs: number; limitMs: number };

function bound(fields: Fields, context: ActionContext): Bound {
  try {
    const values = valuesOf(fields, context);
    refuseValues(fields.argv, values);
    const bare = bindWords(fields.argv, { values, honest: true }, { cwd: context.projectRoot });
    const words = withContext(bare, fields.context);
    const delays = (fields.delays ?? []).map((delay) => numberOf(delay, { label: 'delay', values }) ?? 0);
    const limitMs = numberOf(fields.timeout, { label: 'timeout', values }) ?? 0;
    return { words, delayMs: delays.reduce((sum, ms) => sum + ms, 0), limitMs };
  } catch (thrown) {
    if (isTemplateError(thrown)) throw new RecipeError('exec.unbound', 'action', `${explained(thrown, fields)} Nothing was run.`);
    if (thrown instanceof OptionValueError) throw new RecipeError('command.option_value', 'action', thrown.message);
    throw thrown;
  }
}

function explained({ code, message }: TemplateError, { argv, values = {}, defaults = {}, set = {} }: Fields): string {
  const known = Object.keys({ ...defaults, ...values, ...set }).join(', ') || 'none';
  const content = /: (.*)$/s.exec(message)?.[1];
  const text = argv.find((one) => one.includes(`{${content}}`));
  const lack = code === 'template.missing_value' && text !== undefined;
  return lack ? `{${content}} in ${JSON.stringify(text)} has no value. Given: ${known}.` : `${message} (given: ${known}).`;
}

function valuesOf({ values = {}, defaults, set, args, round: turn }: Fields, { path }: ActionContext): TemplateValues {
  const types = new Map(parseDeclarations(args).map(({ name, type }) => [name, type]));
  const given = coerceTypes(types, values);
  const known = { given, defaults, args, fixed: set };
  return turn ? honestValues({ ...known, loop: loopOf(turn, path, honestValues(known)) }) : honestValues(known);
}

// The item of the nearest rw.each is a part of the path of the run.
function loopOf({ index, repeat }: z.output<typeof round>, path: string, values: TemplateValues): Layer {
  const at = index ?? Number([...path.matchAll(/\[(\d+)\]/g)].at(-1)?.[1] ?? 0);
  return roundValues(at, repeatOf(repeat, values));
}

async function pause(ms: number, { clock, signal }: ActionContext): Promise<void> {
  await new Promise<void>((resolve) => {
    const withdraw = clock.after(ms, resolve);
    signal.addEventListener('abort', () => [withdraw(), resolve()], { once: true });
  });
}

function lacking(argv: unknown): string | undefined {
  const refused = valueAsCode(argv);
  return refused && `a word without {${refused.name}} where ${refused.reader} reads code`;
}

function refuseValues(argv: readonly string[], values: TemplateValues): void {
  try {
    rejectOptionValues(asReferences(argv), ([, name = '']) => {
      return values.has(name) && !values.isAuthored(name) ? { found: true, value: values.read(name) } : { found: false };
    });
  } catch (thrown) {
    // A placeholder without a value is told of by its word, and what an author wrote is what the author meant.
    if (!(thrown instanceof UnresolvedReference)) throw thrown;
  }
}
