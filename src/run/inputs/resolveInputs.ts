// What a recipe is given: its own literals and defaults, unless config, environment or command line say otherwise (spec §4.1).

import { isInputDescriptor, isSecret } from '../../check/rules/inputs.js';
import { didYouMean } from '../../document/didYouMean.js';
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { deepEqual } from '../../engine/operators.js';
import type { InputOrigin } from '../../evidence/journal.js';
import type { CompiledRecipe } from '../../recipe/recipe.js';
import type { Inputs } from '../job.js';
import { findUnfilledReferences } from './unfilledReferences.js';

/** What the hooks of the Runner Protocol hand over; a recipe may use them without declaring them. */
export const wellKnownInputs: ReadonlySet<string> = new Set(
  'slot_id,runtime_dir,artifact_dir,cdp_port,port,simulator,adb_serial'.split(','),
);

/** Values by who gave them. Those of environment and command line are text. */
export type InputSources = {
  cli?: ReadonlyMap<string, string>;
  env?: Readonly<Record<string, string | undefined>>;
  config?: Readonly<Record<string, unknown>>;
  /** Given by the program that runs the recipe. */
  api?: Readonly<Record<string, unknown>>;
};

export type ResolvedInputs = { inputs: Inputs; findings: Finding[] };

type InputKind = 'string' | 'number' | 'boolean' | 'json';
type ChosenInput = { value: unknown; origin: InputOrigin };

type Refuse = (finding: Pick<Finding, 'code' | 'path' | 'message'> & { hint?: string }) => void;

/** Secrets are not among them: their values never become inputs like any other. */
export function resolveInputs(compiled: CompiledRecipe, given: InputSources): ResolvedInputs {
  const { recipe, origin } = compiled;
  const findings: Finding[] = [];
  const refuse: Refuse = (problem) => findings.push({ severity: 'error', place: origin(problem.path), ...problem });
  const inputs: Inputs = Object.create(null) as Inputs;
  for (const [name, declared] of recipe.inputs) {
    const chosen = isSecret(declared) ? refusePlainSecret(name, given, refuse) : declaredValue(name, declared, { given, refuse });
    if (chosen) inputs[name] = chosen;
  }
  for (const name of wellKnownInputs) {
    const chosen = recipe.inputs.has(name) ? undefined : chooseInput(name, name.endsWith('port') ? 'number' : 'string', given);
    if (typeof chosen === 'string') refuse({ code: 'inputs.invalid_value', path: '', message: chosen });
    else if (chosen) inputs[name] = chosen;
  }
  const known = [...recipe.inputs.keys(), ...wellKnownInputs];
  for (const name of [...(given.cli?.keys() ?? []), ...Object.keys(given.api ?? {})]) {
    if (known.includes(name)) continue;
    const message = `The recipe has no input ${JSON.stringify(name)}, which was given.`;
    refuse({ code: 'inputs.unknown_input', path: '/inputs', message, hint: didYouMean(name, known) });
  }
  if (findings.length > 0) return { inputs, findings };
  const values = Object.fromEntries(Object.entries(inputs).map(([name, { value }]) => [name, value]));
  return { inputs, findings: [...findUnfilledReferences(compiled, values), ...(compiled.checkInputs?.(values) ?? [])] };
}

function refusePlainSecret(name: string, given: InputSources, refuse: Refuse): undefined {
  if (!isInputProvided(name, given)) return;
  const message = `The secret ${JSON.stringify(name)} is given in plain text.`;
  const hint = 'It is read from where its "ref" says: an environment variable or a file.';
  refuse({ code: 'inputs.secret_given', path: joinPointer('/inputs', name), message, hint });
}

/** Undefined when there is none, which is told of unless it is optional. */
function declaredValue(
  name: string,
  declared: unknown,
  { given, refuse }: { given: InputSources; refuse: Refuse },
): ChosenInput | undefined {
  const path = joinPointer('/inputs', name);
  const provided = chooseInput(name, kindOf(declared), given);
  const chosen = provided ?? (hasDefault(declared) ? { value: defaultOf(declared), origin: 'recipe' as const } : undefined);
  if (chosen === undefined) {
    const message = `The input ${JSON.stringify(name)} has no value.`;
    if (isRequired(declared)) refuse({ code: 'inputs.missing_value', path, message, hint: inputHint(name) });
    return undefined;
  }
  const problem = typeof chosen === 'string' ? chosen : findEnumProblem(declared, name, chosen.value);
  if (problem !== undefined) refuse({ code: 'inputs.invalid_value', path, message: problem });
  return typeof chosen === 'string' ? undefined : chosen;
}

/** `--input` beats the environment, which beats the config. A text that cannot be what it should be is a sentence that says so. */
function chooseInput(name: string, kind: InputKind, { api, cli, env, config }: InputSources): ChosenInput | string | undefined {
  if (api && Object.hasOwn(api, name))
    return fromValue(api[name], kind, { origin: 'api', name: `The program gives the input ${JSON.stringify(name)}` });
  const cliText = cli?.get(name);
  if (cliText !== undefined) return fromText(cliText, kind, { origin: 'cli', name: `--input ${name}` });
  const variable = inputVariableOf(name);
  const inEnv = env?.[variable];
  if (inEnv !== undefined) return fromText(inEnv, kind, { origin: 'env', name: variable });
  if (config === undefined || !Object.hasOwn(config, name)) return undefined;
  return fromValue(config[name], kind, { origin: 'config', name: `The config gives the input ${JSON.stringify(name)}` });
}

function fromValue(
  value: unknown,
  kind: InputKind,
  { origin, name }: { origin: InputOrigin; name: string },
): ChosenInput | string {
  if (isJson(value) && (kind === 'json' || typeof value === kind)) return { value, origin };
  return `${name} as ${printValue(value)}, but it is a ${kind}.`;
}

/** By whomever. */
export function isInputProvided(name: string, { api, cli, env, config }: InputSources): boolean {
  const hasValue = [api, config].some((from) => from !== undefined && Object.hasOwn(from, name));
  return hasValue || cli?.has(name) === true || env?.[inputVariableOf(name)] !== undefined;
}

/** What the journal can show as it is: no number without end, no function, no circle. */
function isJson(value: unknown): boolean {
  try {
    return deepEqual(JSON.parse(JSON.stringify(value) ?? 'nothing'), value);
  } catch {
    // TypeError of a circle or a bigint, SyntaxError of what has no JSON at all.
    return false;
  }
}

function printValue(value: unknown): string {
  return isJson(value) ? JSON.stringify(value) : String(value);
}

/** The environment variable that gives an input. */
export function inputVariableOf(name: string): string {
  return `RECIPE_INPUT_${name.replace(/[^A-Za-z0-9]/g, '_').toUpperCase()}`;
}

function fromText(text: string, kind: InputKind, { origin, name }: { origin: InputOrigin; name: string }): ChosenInput | string {
  if (kind === 'string') return { value: text, origin };
  const read = tryParseJson(text);
  if (read && isJson(read.value) && (kind === 'json' || typeof read.value === kind)) return { value: read.value, origin };
  return `${name} is ${JSON.stringify(text)}, which is not ${kind === 'json' ? 'JSON' : `a ${kind}`}.`;
}

function tryParseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // SyntaxError: what was given is no JSON.
    return undefined;
  }
}

function kindOf(declared: unknown): InputKind {
  if (isInputDescriptor(declared)) return declared.type as InputKind;
  return typeof declared === 'string' || typeof declared === 'number' || typeof declared === 'boolean'
    ? (typeof declared as InputKind)
    : 'json';
}

function hasDefault(declared: unknown): boolean {
  return !isInputDescriptor(declared) || Object.hasOwn(declared, 'default');
}

function defaultOf(declared: unknown): unknown {
  return isInputDescriptor(declared) ? declared.default : declared;
}

function isRequired(declared: unknown): boolean {
  return isInputDescriptor(declared) && declared.required !== false;
}

function findEnumProblem(declared: unknown, name: string, value: unknown): string | undefined {
  if (!isInputDescriptor(declared) || !Array.isArray(declared.enum) || declared.enum.some((one) => deepEqual(one, value)))
    return undefined;
  return `The input ${JSON.stringify(name)} is ${JSON.stringify(value)}, which is none of ${JSON.stringify(declared.enum)}.`;
}

function inputHint(name: string): string {
  return `Give it by --input ${name}=…, by ${inputVariableOf(name)} in the environment, or by "inputs" of the config; or add a "default".`;
}
