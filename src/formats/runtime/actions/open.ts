// The action rw.open begins a manifest: checks its inputs and opens its state.
import * as z from 'zod';
import type { Action, ActionContext, ActionResult, FieldSchema } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { unescapeBraces } from '../escapeBraces.js';
import { isObject } from '../python/pythonJson.js';
import { applyMapping } from '../runtimeValues.js';
import { defineEscapedAction, dict, dicts, identityFields, mapping } from './fields.js';
import type { RuntimeServices } from './finishNode.js';
import { findSchemaProblem, findUnusableSchema, instancePath, ManifestInstance } from './manifestInstance.js';

const schema = z.strictObject({
  ...identityFields,
  inputs: dict.describe('The JSON Schema of the inputs.'),
  state: dicts.describe('The JSON Schemas of the state.'),
  parameters: dict,
  persistent: z.boolean().optional(),
  max_steps: z.int().min(1).optional(),
  caller: z.strictObject({ ...identityFields, input_mapping: mapping }).optional(),
  refused: z.array(z.string()).optional().describe('The reasons why the manifest cannot run.'),
});

type Fields = z.output<typeof schema>;

const example = {
  description: 'An empty state.',
  node: { action: 'rw.open', node: 'r', level: 0, layer: 0, inputs: {}, state: [], parameters: {} },
};

export function openAction(runtime: RuntimeServices): Action {
  return defineEscapedAction({
    name: 'rw.open',
    description: 'Checks the inputs of a manifest and opens its state. A persistent state is loaded from the previous run.',
    schema,
    examples: [example],
    effect: 'none',
    schemas: ({ fields }) => manifestSchemas(unescapeBraces(fields) as Partial<Fields>),
    describeUnsupported: ({ fields }) => findOpenProblem(unescapeBraces(fields) as Partial<Fields>),
    run: (fields, context) => openState(runtime, fields, context),
  });
}

function findOpenProblem(fields: Partial<Fields>): string | undefined {
  const { refused } = fields;
  return Array.isArray(refused) ? String(refused[0]).replace(/\.$/, '') : findUnusableSchema(manifestSchemas(fields));
}

function manifestSchemas({ inputs, state }: Partial<Fields>): FieldSchema[] {
  const inputSchemas = isObject(inputs) ? [{ label: 'interface.inputs', keys: ['inputs'], schema: inputs }] : [];
  const states = (Array.isArray(state) ? state : []).map((schema, index) => {
    return { label: 'The schema of the state', keys: ['state', String(index)], schema };
  });
  return [...inputSchemas, ...states.filter(({ schema }) => isObject(schema))];
}

function openState(runtime: RuntimeServices, fields: Fields, context: ActionContext): ActionResult {
  if (fields.refused?.length)
    throw new RecipeError('runtime.refused', 'harness', `${fields.refused.join('\n')}\nThe manifest did not run.`);
  const inputs = collectInputs(runtime, fields, context);
  const problem = findSchemaProblem(fields.inputs, inputs);
  if (problem !== undefined) {
    const message = `The inputs of ${JSON.stringify(fields.node)} do not match interface.inputs: ${problem}.`;
    throw new RecipeError('runtime.invalid_inputs', 'assertion', message);
  }
  const state = loadState(runtime, fields, context);
  const { node: recipe, parameters, state: schemas, max_steps: maxSteps, persistent = false } = fields;
  const instance = new ManifestInstance({ recipe, inputs, parameters, state, schemas, maxSteps, persistent });
  runtime.instances.open(context.runId, instancePath(fields.level, context.path), instance);
  return { output: { recipe, inputs, state, parameters } };
}

/** Returns the inputs of the run. For a sub-recipe, returns the values that the caller maps from its own state. */
function collectInputs(
  { instances }: RuntimeServices,
  { caller, inputs }: Fields,
  context: ActionContext,
): Record<string, unknown> {
  if (!caller) return pickDeclared(inputs, context.inputs);
  const callerInstance = instances.get(caller, context);
  callerInstance.requireStepLeft();
  return { ...schemaDefaults(inputs), ...applyMapping(caller.input_mapping, callerInstance.values(caller, context)) };
}

/** Returns the defaults of the schema for inputs that the caller does not map, as for a manifest that runs on its own. */
function schemaDefaults({ properties }: Fields['inputs']): Record<string, unknown> {
  const schemas = isObject(properties) ? Object.entries(properties) : [];
  const defaults = schemas.flatMap(([name, schema]) =>
    isObject(schema) && Object.hasOwn(schema, 'default') ? [[name, schema.default]] : [],
  );
  return structuredClone(Object.fromEntries(defaults));
}

/** Drops the inputs that the runner passes to every recipe, unless the manifest declares them. */
function pickDeclared({ properties }: Fields['inputs'], inputs: ActionContext['inputs']): Record<string, unknown> {
  const isDeclared = (name: string): boolean =>
    typeof properties !== 'object' || properties === null || Object.hasOwn(properties, name);
  return structuredClone(Object.fromEntries(Object.entries(inputs).filter(([name]) => isDeclared(name))));
}

function loadState(
  { handlers }: RuntimeServices,
  { node, persistent }: Fields,
  { projectRoot }: ActionContext,
): Record<string, unknown> {
  if (!persistent) return {};
  const { openStateDir } = handlers;
  if (openStateDir) return openStateDir(projectRoot).load(node) ?? {};
  const message = `${JSON.stringify(node)} keeps its state between runs, but this host has no directory for it.`;
  throw new RecipeError('runtime.no_state_dir', 'harness', message);
}
