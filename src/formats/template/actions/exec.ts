// The action rw.exec runs one command of a compiled template. It fills in the words when the node starts.
import * as z from 'zod';
import { type ActionContext, type ActionResult, defineAction } from '../../../actions/action.js';
import { commandStopMs, runCommand } from '../../../actions/runCommand.js';
import { sleep } from '../../../actions/sleep.js';
import { UnresolvedReference } from '../../../engine/references.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { OptionValueError } from '../../../shell/bindShell.js';
import { rejectOptionValues } from '../../../shell/findCodeReferences.js';
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
  argv: z.tuple([wordSchema.min(1)], wordSchema).describe('The program and its arguments. {name} is replaced by a value.'),
  values: layerSchema.optional().describe('The values of the caller. Placeholders inside these values are not replaced.'),
  defaults: layerSchema.optional().describe('Values for names that the caller does not set. A string can refer to other values.'),
  set: layerSchema.optional().describe('Values that the caller cannot override.'),
  args: z.array(z.unknown()).optional().describe('Declared arguments, name[:type][=default].'),
  round: roundSchema.optional().describe('The round of a repetition. Without "index", the item of the nearest rw.each counts.'),
  delays: z.array(amountSchema).optional().describe('Milliseconds to wait before the command starts.'),
  timeout: amountSchema.optional().describe('The time limit in milliseconds, as a number or as a string with a placeholder.'),
  context: z.string().optional().describe('Text to add to the prompt of a program that asks a language model.'),
  cwd: z.string().optional().describe('Relative to the project.'),
  env: z.record(z.string(), z.string()).optional(),
  allow_failure: z.boolean().optional(),
});

export const exec = defineAction({
  name: 'rw.exec',
  description:
    'Runs a program. Each {name} in its words is replaced by a value when the node starts, and no shell reads the result.',
  schema,
  examples: [
    { description: 'Greets a name.', node: { action: 'rw.exec', argv: ['echo', 'hello {who}'], values: { who: 'world' } } },
  ],
  effect: 'user',
  fallible: (fields) => fields.allow_failure !== true,
  describeMissing: ({ fields: { argv } }) => describeSafeWord(argv),
  secretFields: ['env'],
  textFields: ['argv', 'env'],
  // No field is shell text, but the rules for shell words apply to "argv".
  shellFields: [],
  stopMs: commandStopMs,
  async run(fields, context) {
    const { argv, cwd, env, allow_failure } = fields;
    const safeWord = describeSafeWord(argv);
    if (safeWord !== undefined)
      throw new RecipeError('exec.value_as_code', 'harness', `rw.exec needs ${safeWord}. The command was not started.`);
    const { words, delayMs, limitMs } = bindFields(fields, context);
    if (delayMs > 0) await sleep(context, delayMs);
    const [program = '', ...args] = words;
    const limited = withTimeLimit(context, limitMs);
    try {
      const commandResult = await runCommand({ cwd, env, allow_failure, command: [program, ...args] }, limited.context);
      const result = addWords(commandResult, words);
      return limited.timedOut() && !result.failure ? { ...result, failure: createTimeoutError(limitMs, words) } : result;
    } finally {
      limited.cancelTimer();
    }
  },
});

/** Adds the words of the command to its output, so that the report shows both. */
function addWords({ output, recorded, ...rest }: ActionResult, argv: readonly string[]): ActionResult {
  return { ...rest, output: { argv, ...Object(output) }, recorded: { argv, ...Object(recorded) } };
}

// A command that is stopped at its time limit fails, even when it exits with 0.
function createTimeoutError(limitMs: number, words: readonly string[]): RecipeError {
  return new RecipeError(
    'command.timed_out',
    'action',
    `The command took longer than its time limit of ${limitMs} ms: ${words.join(' ')}`,
  );
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
      throw new RecipeError('exec.unbound', 'action', `${explainError(thrown, fields)} The command was not started.`);
    if (thrown instanceof OptionValueError) throw new RecipeError('command.option_value', 'action', thrown.message);
    throw thrown;
  }
}

function explainError({ message, placeholder }: TemplateError, { argv, values = {}, defaults = {}, set = {} }: Fields): string {
  const known = Object.keys({ ...defaults, ...values, ...set }).join(', ') || 'none';
  const word = argv.find((text) => text.includes(`{${placeholder}}`));
  if (placeholder === undefined || word === undefined) return `${message} (known values: ${known}).`;
  return `{${placeholder}} in ${JSON.stringify(word)} has no value. Known values: ${known}.`;
}

function collectValues({ values = {}, defaults, set, args, round }: Fields, { path }: ActionContext): TemplateValues {
  const types = new Map(parseDeclarations(args).map(({ name, type }) => [name, type]));
  const callerValues = coerceValues(types, values);
  const known = { callerValues, defaults, args, fixed: set };
  return round ? createValues({ ...known, loop: buildLoopValues(round, path, createValues(known)) }) : createValues(known);
}

// The last index in the run path is the item of the nearest rw.each.
function buildLoopValues({ index, repeat }: z.output<typeof roundSchema>, path: string, values: TemplateValues): Layer {
  const at = index ?? Number([...path.matchAll(/\[(\d+)\]/g)].at(-1)?.[1] ?? 0);
  return buildRoundValues(at, readRepeatCount(repeat, values));
}

/** If a program would read a value of a placeholder as code, returns a phrase for the error message that says what to write instead. */
function describeSafeWord(argv: unknown): string | undefined {
  const codeValue = findValueAsCode(argv);
  return codeValue && `a constant instead of {${codeValue.name}} where ${codeValue.reader} reads code`;
}

function refuseOptionValues(argv: readonly string[], values: TemplateValues): void {
  try {
    rejectOptionValues(toReferences(argv), ([, name = '']) => {
      return values.has(name) && !values.isAuthored(name) ? { found: true, value: values.read(name) } : { found: false };
    });
  } catch (thrown) {
    // bindWords reports a placeholder without a value. Strings of the author are safe.
    if (!(thrown instanceof UnresolvedReference)) throw thrown;
  }
}

// The time limit of a command can be a value of the run. The deadline of the node still applies.

export type TimeLimit = { context: ActionContext; timedOut(): boolean; cancelTimer(): void };

function withTimeLimit(context: ActionContext, limitMs: number): TimeLimit {
  if (limitMs <= 0) return { context, timedOut: () => false, cancelTimer: () => undefined };
  const timeout = new AbortController();
  const cancelTimer = context.clock.after(limitMs, () => timeout.abort(new Error(`it took longer than ${limitMs} ms`)));
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  // A proxy, since a copy would lose the private fields of the context.
  const limited = new Proxy(context, { get: (target, key) => (key === 'signal' ? signal : Reflect.get(target, key, target)) });
  return { context: limited, timedOut: () => timeout.signal.aborted, cancelTimer };
}
