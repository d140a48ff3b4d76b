// Finds the value of every input: from the program, the command line, the environment, the config, or the recipe itself (spec §4.1).

import { isInputDescriptor, isSecret } from '../../check/rules/inputs.js';
import { didYouMean } from '../../document/didYouMean.js';
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { deepEqual } from '../../engine/operators.js';
import type { InputOrigin } from '../../evidence/journal.js';
import type { CompiledRecipe } from '../../recipe/recipe.js';
import type { Inputs } from '../job.js';
import { findUnfilledReferences } from './unfilledReferences.js';

/** Inputs that the hooks of the Runner Protocol supply. A recipe may use them without declaring them. */
export const wellKnownInputs: ReadonlySet<string> = new Set(
  'slot_id,runtime_dir,artifact_dir,cdp_port,port,simulator,adb_serial'.split(','),
);

/** The supplied values, by source. Values from the environment and the command line are strings. */
export type InputSources = {
  cli?: ReadonlyMap<string, string>;
  env?: Readonly<Record<string, string | undefined>>;
  config?: Readonly<Record<string, unknown>>;
  /** Values from the program that runs the recipe. */
  api?: Readonly<Record<string, unknown>>;
};

export type ResolvedInputs = { inputs: Inputs; findings: Finding[] };

type InputKind = 'string' | 'number' | 'boolean' | 'json';
type ChosenInput = { value: unknown; origin: InputOrigin };

type Refuse = (finding: Pick<Finding, 'code' | 'path' | 'message'> & { hint?: string }) => void;

/** Secrets are excluded: `readSecrets` reads them, and their values never become inputs. */
export function resolveInputs(compiled: CompiledRecipe, sources: InputSources): ResolvedInputs {
  const { recipe, origin } = compiled;
  const findings: Finding[] = [];
  const refuse: Refuse = (problem) => findings.push({ severity: 'error', place: origin(problem.path), ...problem });
  const inputs: Inputs = Object.create(null) as Inputs;
  for (const [name, declared] of recipe.inputs) {
    const input = isSecret(declared)
      ? refusePlainSecret(name, sources, refuse)
      : chooseDeclared(name, declared, { sources, refuse });
    if (input) inputs[name] = input;
  }
  for (const name of wellKnownInputs) {
    const input = recipe.inputs.has(name) ? undefined : chooseInput(name, name.endsWith('port') ? 'number' : 'string', sources);
    if (typeof input === 'string') refuse({ code: 'inputs.invalid_value', path: '', message: input });
    else if (input) inputs[name] = input;
  }
  const known = [...recipe.inputs.keys(), ...wellKnownInputs];
  for (const name of [...(sources.cli?.keys() ?? []), ...Object.keys(sources.api ?? {})]) {
    if (known.includes(name)) continue;
    const message = `The recipe has no input ${JSON.stringify(name)}.`;
    refuse({ code: 'inputs.unknown_input', path: '/inputs', message, hint: didYouMean(name, known) });
  }
  if (findings.length > 0) return { inputs, findings };
  const values = Object.fromEntries(Object.entries(inputs).map(([name, { value }]) => [name, value]));
  return { inputs, findings: [...findUnfilledReferences(compiled, values), ...(compiled.checkInputs?.(values) ?? [])] };
}

function refusePlainSecret(name: string, sources: InputSources, refuse: Refuse): undefined {
  if (!isInputProvided(name, sources)) return;
  const message = `The secret ${JSON.stringify(name)} has a value in plain text.`;
  const hint = 'Remove the value. A secret is read only from the environment variable or the file that its "ref" names.';
  refuse({ code: 'inputs.secret_given', path: joinPointer('/inputs', name), message, hint });
}

/** Returns undefined for an input without a value, and reports the missing value unless the input is optional. */
function chooseDeclared(
  name: string,
  declared: unknown,
  { sources, refuse }: { sources: InputSources; refuse: Refuse },
): ChosenInput | undefined {
  const path = joinPointer('/inputs', name);
  const supplied = chooseInput(name, kindOf(declared), sources);
  const input = supplied ?? (hasDefault(declared) ? { value: defaultOf(declared), origin: 'recipe' as const } : undefined);
  if (input === undefined) {
    const message = `The input ${JSON.stringify(name)} has no value.`;
    if (isRequired(declared)) refuse({ code: 'inputs.missing_value', path, message, hint: inputHint(name) });
    return undefined;
  }
  const problem = typeof input === 'string' ? input : findEnumProblem(declared, name, input.value);
  if (problem !== undefined) refuse({ code: 'inputs.invalid_value', path, message: problem });
  return typeof input === 'string' ? undefined : input;
}

/**
 * Chooses the value by precedence: the program, then `--input`, then the environment, then the config.
 * Returns a string, the message of the finding, when the value does not have the type of the input.
 */
function chooseInput(name: string, kind: InputKind, { api, cli, env, config }: InputSources): ChosenInput | string | undefined {
  if (api && Object.hasOwn(api, name))
    return fromValue(api[name], kind, { origin: 'api', name: `The program sets the input ${JSON.stringify(name)}` });
  const cliValue = cli?.get(name);
  if (cliValue !== undefined) return fromString(cliValue, kind, { origin: 'cli', name: `--input ${name}` });
  const variable = inputVariableOf(name);
  const envValue = env?.[variable];
  if (envValue !== undefined) return fromString(envValue, kind, { origin: 'env', name: variable });
  if (config === undefined || !Object.hasOwn(config, name)) return undefined;
  return fromValue(config[name], kind, { origin: 'config', name: `The config sets the input ${JSON.stringify(name)}` });
}

function fromValue(
  value: unknown,
  kind: InputKind,
  { origin, name }: { origin: InputOrigin; name: string },
): ChosenInput | string {
  if (isJson(value) && (kind === 'json' || typeof value === kind)) return { value, origin };
  return `${name} to ${printValue(value)}, but the input needs ${describeKind(kind)}.`;
}

function describeKind(kind: InputKind): string {
  return kind === 'json' ? 'JSON' : `a ${kind}`;
}

/** Whether any source has a value for the input. */
export function isInputProvided(name: string, { api, cli, env, config }: InputSources): boolean {
  const hasValue = [api, config].some((values) => values !== undefined && Object.hasOwn(values, name));
  return hasValue || cli?.has(name) === true || env?.[inputVariableOf(name)] !== undefined;
}

/** Whether the journal can record the value unchanged. Infinity, functions and circular objects have no JSON. */
function isJson(value: unknown): boolean {
  try {
    return deepEqual(JSON.parse(JSON.stringify(value) ?? 'nothing'), value);
  } catch {
    // TypeError for a circular object or a bigint, SyntaxError for a value without JSON, such as a function.
    return false;
  }
}

function printValue(value: unknown): string {
  return isJson(value) ? JSON.stringify(value) : String(value);
}

/** The environment variable that sets an input. */
export function inputVariableOf(name: string): string {
  return `RECIPE_INPUT_${name.replace(/[^A-Za-z0-9]/g, '_').toUpperCase()}`;
}

function fromString(
  text: string,
  kind: InputKind,
  { origin, name }: { origin: InputOrigin; name: string },
): ChosenInput | string {
  if (kind === 'string') return { value: text, origin };
  const parsed = tryParseJson(text);
  if (parsed && isJson(parsed.value) && (kind === 'json' || typeof parsed.value === kind)) return { value: parsed.value, origin };
  return `${name} is ${JSON.stringify(text)}, which is not ${describeKind(kind)}.`;
}

function tryParseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // SyntaxError: the value is not JSON.
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
  if (!isInputDescriptor(declared) || !Array.isArray(declared.enum) || declared.enum.some((allowed) => deepEqual(allowed, value)))
    return undefined;
  return `The input ${JSON.stringify(name)} is ${JSON.stringify(value)}, but must be one of ${JSON.stringify(declared.enum)}.`;
}

function inputHint(name: string): string {
  return `Set the input with --input ${name}=…, with ${inputVariableOf(name)} in the environment, or in "inputs" of the config, or add a "default".`;
}
