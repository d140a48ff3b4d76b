// One command of a compiled template: its words are filled in when the run comes to it.
import * as z from 'zod';
import { type ActionContext, type ActionResult, defineAction } from '../../../actions/action.js';
import { commandStopMs, runCommand } from '../../../actions/runCommand.js';
import { UnresolvedReference } from '../../../engine/references.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { rejectOptionValues } from '../../../shell/codeReferences.js';
import { OptionValueError } from '../../../shell/shellText.js';
import { coerceValues, parseDeclarations } from '../argDeclarations.js';
import { buildRoundValues, readNumber, readRepeatCount } from '../controls.js';
import { findValueAsCode, toReferences } from '../findValueAsCode.js';
import { withContext } from '../recipeContext.js';
import { bindWords } from '../resolveArgv.js';
import { isTemplateError, type TemplateError } from '../templateError.js';
import { createValues, type Layer, type TemplateValues } from '../templateValues.js';

const wordSchema = z.string();
const layerSchema = z.record(z.string(), z.unknown());
const amountSchema = z.union([z.number().min(0), z.string()]);
const roundSchema = z.strictObject({ index: z.int().min(0).optional(), repeat: z.union([z.int().min(1), z.string()]) });

const schema = z.strictObject({
  argv: z.tuple([wordSchema.min(1)], wordSchema).describe('The program and its arguments, in which {name} stands for a value.'),
  values: layerSchema.optional().describe('What the caller gives: data, in which nothing is filled in.'),
  defaults: layerSchema.optional().describe('What is used where the caller gives nothing; a text may refer to other values.'),
  set: layerSchema.optional().describe('What the caller has no say in: it comes before "values".'),
  args: z.array(z.unknown()).optional().describe('Declared arguments, name[:type][=default].'),
  round: roundSchema.optional().describe('Which turn of a repetition it is; without "index" that of the rw.each around it.'),
  delays: z.array(amountSchema).optional().describe('Milliseconds to wait before it begins.'),
  timeout: amountSchema.optional().describe('Milliseconds it may take, when that is a value too.'),
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
  bypassesPage: true,
  fallible: (fields) => fields.allow_failure !== true,
  describeMissing: ({ fields: { argv } }) => describeRefusedWord(argv),
  secretFields: ['env'],
  textFields: ['argv', 'env'],
  // No field is shell text, but the rules for shell words apply to "argv".
  shellFields: [],
  stopMs: commandStopMs,
  async run(fields, context) {
    const { argv, cwd, env, allow_failure } = fields;
    const lack = describeRefusedWord(argv);
    if (lack !== undefined) throw new RecipeError('exec.value_as_code', 'harness', `rw.exec needs ${lack}. Nothing was run.`);
    const { words, delayMs, limitMs } = bindFields(fields, context);
    if (delayMs > 0) await sleepWithin(delayMs, context);
    const [program = '', ...args] = words;
    const limited = withTimeLimit(context, limitMs);
    try {
      const ran = await runCommand({ cwd, env, allow_failure, command: [program, ...args] }, limited.context);
      const result = addWords(ran, words);
      return limited.isOver() && !result.failure ? { ...result, failure: createTimeoutError(limitMs, words) } : result;
    } finally {
      limited.withdraw();
    }
  },
});

/** The report shows the words of the command beside its output. */
function addWords({ output, recorded, ...rest }: ActionResult, argv: readonly string[]): ActionResult {
  return { ...rest, output: { argv, ...Object(output) }, recorded: { argv, ...Object(recorded) } };
}

// A command that is stopped may still exit with 0, which is not a success.
function createTimeoutError(limitMs: number, words: readonly string[]): RecipeError {
  return new RecipeError('command.timed_out', 'action', `Command took longer than its ${limitMs} ms: ${words.join(' ')}`);
}

type Fields = z.output<typeof schema>;
type BoundCommand = { words: string[]; delayMs: number; limitMs: number };

function bindFields(fields: Fields, context: ActionContext): BoundCommand {
  try {
    const values = collectValues(fields, context);
    refuseOptionValues(fields.argv, values);
    const argv = bindWords(fields.argv, { values, objectsAsJson: true }, { cwd: context.projectRoot });
    const words = withContext(argv, fields.context);
    const delays = (fields.delays ?? []).map((delay) => readNumber(delay, { label: 'delay', values }) ?? 0);
    const limitMs = readNumber(fields.timeout, { label: 'timeout', values }) ?? 0;
    return { words, delayMs: delays.reduce((sum, ms) => sum + ms, 0), limitMs };
  } catch (thrown) {
    if (isTemplateError(thrown))
      throw new RecipeError('exec.unbound', 'action', `${explainError(thrown, fields)} Nothing was run.`);
    if (thrown instanceof OptionValueError) throw new RecipeError('command.option_value', 'action', thrown.message);
    throw thrown;
  }
}

function explainError({ message, placeholder }: TemplateError, { argv, values = {}, defaults = {}, set = {} }: Fields): string {
  const known = Object.keys({ ...defaults, ...values, ...set }).join(', ') || 'none';
  const word = argv.find((text) => text.includes(`{${placeholder}}`));
  if (placeholder === undefined || word === undefined) return `${message} (given: ${known}).`;
  return `{${placeholder}} in ${JSON.stringify(word)} has no value. Given: ${known}.`;
}

function collectValues({ values = {}, defaults, set, args, round: turn }: Fields, { path }: ActionContext): TemplateValues {
  const types = new Map(parseDeclarations(args).map(({ name, type }) => [name, type]));
  const callerValues = coerceValues(types, values);
  const known = { callerValues, defaults, args, fixed: set };
  return turn ? createValues({ ...known, loop: buildLoopValues(turn, path, createValues(known)) }) : createValues(known);
}

// The run path holds the item of the nearest rw.each.
function buildLoopValues({ index, repeat }: z.output<typeof roundSchema>, path: string, values: TemplateValues): Layer {
  const at = index ?? Number([...path.matchAll(/\[(\d+)\]/g)].at(-1)?.[1] ?? 0);
  return buildRoundValues(at, readRepeatCount(repeat, values));
}

async function sleepWithin(ms: number, { clock, signal }: ActionContext): Promise<void> {
  await new Promise<void>((resolve) => {
    const withdraw = clock.after(ms, resolve);
    signal.addEventListener('abort', () => [withdraw(), resolve()], { once: true });
  });
}

function describeRefusedWord(argv: unknown): string | undefined {
  const refused = findValueAsCode(argv);
  return refused && `a word without {${refused.name}} where ${refused.reader} reads code`;
}

function refuseOptionValues(argv: readonly string[], values: TemplateValues): void {
  try {
    rejectOptionValues(toReferences(argv), ([, name = '']) => {
      return values.has(name) && !values.isAuthored(name) ? { found: true, value: values.read(name) } : { found: false };
    });
  } catch (thrown) {
    // A placeholder without a value is reported with its word, and the author's own text is safe.
    if (!(thrown instanceof UnresolvedReference)) throw thrown;
  }
}

// A time limit that is a value of the run, beside the deadline of the node.

export type TimeLimit = { context: ActionContext; isOver(): boolean; withdraw(): void };

function withTimeLimit(context: ActionContext, limitMs: number): TimeLimit {
  if (limitMs <= 0) return { context, isOver: () => false, withdraw: () => undefined };
  const over = new AbortController();
  const withdraw = context.clock.after(limitMs, () => over.abort(new Error(`it took longer than ${limitMs} ms`)));
  const signal = AbortSignal.any([context.signal, over.signal]);
  // A proxy, since a copy would lose the private fields of the context.
  const limited = new Proxy(context, { get: (target, key) => (key === 'signal' ? signal : Reflect.get(target, key, target)) });
  return { context: limited, isOver: () => over.signal.aborted, withdraw };
}
