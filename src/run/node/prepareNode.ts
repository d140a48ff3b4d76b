// Prepares a node before its first journal line: evaluates its gates, and fills values into its fields and its assertion.
import type { Action } from '../../actions/action.js';
import { evaluateWithPatternThread, requireDecision } from '../../actions/evaluateWithPatternThread.js';
import { createSchemaCheck } from '../../actions/jsonSchema.js';
import { evaluateAssertion } from '../../engine/evaluateAssertion.js';
import { parsePath } from '../../engine/jsonPath.js';
import { expandAssertion, expandReferences, expandTexts, UnresolvedReference } from '../../engine/references.js';
import { RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import type { Assertion, Flow, RecipeNode } from '../../recipe/recipe.js';
import { bindShell, OptionValueError } from '../../shell/bindShell.js';
import { findCodeReferences, rejectOptionValues } from '../../shell/findCodeReferences.js';
import type { Scope } from './scope.js';

export type PreparedNode = {
  fields: Readonly<Record<string, unknown>>;
  /** The node's own assertion, with its references filled in. */
  assert?: Assertion;
  skip?: string;
  items?: readonly unknown[];
  problem?: RecipeError;
};

/** Evaluates `when` and `unless` of a node, and fills in its fields when the node may run. */
export async function passGates(node: RecipeNode, action: Action, scope: Scope): Promise<PreparedNode> {
  try {
    const skip = await evaluateWithPatternThread(() => findClosedGate(node, scope));
    return skip === undefined ? fillNode(node, action, scope) : { fields: {}, skip };
  } catch (thrown) {
    return createRefusedNode(thrown);
  }
}

/** Replaces the references in the fields and the assertion of a node by their values. */
export function fillNode(node: RecipeNode, action: Action, scope: Scope): PreparedNode {
  try {
    const fields = parseFields(node, action, scope);
    const prepared: PreparedNode = { fields };
    if (node.assert) prepared.assert = fillAssertion(node.assert, scope, node.templates);
    if (Array.isArray(fields.items)) prepared.items = fields.items;
    return prepared;
  } catch (thrown) {
    return createRefusedNode(thrown);
  }
}

/** Returns the problem instead of throwing it, because a node must write its `begin` line before it fails. */
export function createRefusedNode(thrown: unknown): PreparedNode {
  return { fields: {}, problem: toRecipeError(thrown) };
}

export function fillAssertion(assertion: Assertion, scope: Scope, templates?: 'outputs' | undefined): Assertion {
  return withTemplateErrors(() => expandAssertion(assertion, scope.lookup(templates)));
}

function findClosedGate({ when, unless, templates }: RecipeNode, scope: Scope): string | undefined {
  if (when && !requireDecision(evaluateAssertion(fillAssertion(when, scope, templates), scope.values())))
    return 'when predicate was false';
  if (unless && requireDecision(evaluateAssertion(fillAssertion(unless, scope, templates), scope.values())))
    return 'unless predicate was true';
  return undefined;
}

function parseFields(node: RecipeNode, action: Action, scope: Scope): Record<string, unknown> {
  refuseCode(node, action);
  const { fields, env } = withTemplateErrors(() => expandFields(node, action, scope));
  const filled = { ...fields, ...readBindings(node, scope) };
  // The variables that hold the values of the shell text come last, so that a variable of the node cannot replace one of them.
  if (env) filled.env = { ...(filled.env as object | undefined), ...env };
  const parsed = action.schema.safeParse(filled);
  if (parsed.success) return parsed.data as Record<string, unknown>;
  const [issue] = parsed.error.issues;
  const message = `${node.action}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
  throw new RecipeError('action.invalid_field', 'action', message);
}

// The rules refuse such a recipe before the run. This check protects runs that skipped the rules.
function refuseCode({ id, fields, bindings }: RecipeNode, { shellFields }: Action): void {
  if (!shellFields) return;
  const [reference] = findCodeReferences(fields, { shellFields, bound: bindings.keys() });
  if (!reference) return;
  const message = `The node ${JSON.stringify(id)} did not run, because ${reference.reader} would have read the value of ${reference.name} in "${reference.at.join('.')}" as code. Pass the value as an argument or in "env".`;
  throw new RecipeError('command.reference_in_interpreter', 'harness', message);
}

function readBindings(node: RecipeNode, scope: Scope): Record<string, unknown> | undefined {
  if (node.bindings.size === 0) return undefined;
  const entries = [...node.bindings].map(([field, { source, path = '$' }]) => {
    const result = scope.read(source, parsePath(path) ?? []);
    if (result.found) return [field, result.value] as const;
    const message = `${JSON.stringify(field)} reads ${source} ${path}, which is missing.`;
    throw new RecipeError('node.missing_value', 'action', message);
  });
  return Object.fromEntries(entries);
}

type ExpandedFields = { fields: Record<string, unknown>; env?: Record<string, string> };

function expandFields(
  { fields, templates }: RecipeNode,
  { shellFields: actionShellFields, secretFields = [], textFields = [] }: Action,
  scope: Scope,
): ExpandedFields {
  const values = scope.lookup(templates);
  const withSecrets = secretFields.length > 0 ? scope.secretLookup(templates) : values;
  const shellFields = actionShellFields ?? [];
  if (actionShellFields) rejectOptionValues(fields.argv, values);
  const expanded: ExpandedFields = { fields: {} };
  for (const [field, value] of Object.entries(fields)) {
    const fill = textFields.includes(field) ? expandTexts : expandReferences;
    if (!shellFields.includes(field)) expanded.fields[field] = fill(value, secretFields.includes(field) ? withSecrets : values);
    else if (typeof value === 'string') {
      const { text, env } = bindShell(value, values);
      expanded.fields[field] = text;
      if (Object.keys(env).length > 0) expanded.env = { ...expanded.env, ...env };
    }
  }
  return expanded;
}

function withTemplateErrors<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof OptionValueError) throw new RecipeError('command.option_value', 'action', thrown.message);
    if (!(thrown instanceof UnresolvedReference)) throw thrown;
    throw new RecipeError('template.unresolved_reference', 'action', thrown.message);
  }
}

/** Adds the defaults of the flow's `paramsSchema` to the params of a call, and checks the params against the schema (spec §7, §8). */
export function fillCallParams(prepared: PreparedNode, flows: ReadonlyMap<string, Flow>): PreparedNode {
  const { ref, params = {} } = prepared.fields;
  const flow = typeof ref === 'string' ? flows.get(ref) : undefined;
  if (!flow?.paramsSchema) return prepared;
  const filled = fillDefaults(flow.paramsSchema, params);
  const check = createSchemaCheck(flow.paramsSchema);
  const [problem] = 'problem' in check ? [] : check.findProblems(filled);
  if (!problem) return { ...prepared, fields: { ...prepared.fields, params: filled } };
  const param = problem.keys.length > 0 ? `${JSON.stringify(problem.keys.join('.'))} ` : '';
  throw new RecipeError(
    'call.invalid_params',
    'action',
    `The params of the call do not match "paramsSchema" of the flow ${flow.id}: ${param}${problem.message}.`,
  );
}

type ParamsSchema = { properties?: Record<string, ParamsSchema | undefined>; default?: unknown };

function fillDefaults({ properties = {} }: ParamsSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const filled = { ...(value as Record<string, unknown>) };
  for (const [name, schema] of Object.entries(properties)) {
    if (typeof schema !== 'object' || schema === null) continue;
    if (Object.hasOwn(filled, name)) filled[name] = fillDefaults(schema, filled[name]);
    else if (schema.default !== undefined) filled[name] = structuredClone(schema.default);
  }
  return filled;
}
