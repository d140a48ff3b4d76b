// What is settled about a node before it begins: whether it runs at all, with which fields, over how many items.
import type { Action } from '../actions/action.js';
import type { RecipeNode } from '../dialects/recipe.js';
import { RecipeError, toRecipeError } from '../evidence/failure.js';
import { parsePath } from '../graph/path.js';
import { evaluate } from '../graph/predicate.js';
import { bindShell } from '../graph/shellText.js';
import { expand, UnresolvedReference } from '../graph/template.js';
import type { Scope } from './scope.js';

export type Prepared = {
  fields: Readonly<Record<string, unknown>>;
  skip?: string;
  items?: readonly unknown[];
  problem?: RecipeError;
};

export function prepareNode(node: RecipeNode, action: Action, scope: Scope): Prepared {
  const skip = gateOf(node, scope);
  if (skip !== undefined) return { fields: {}, skip };
  try {
    const fields = fieldsOf(node, action, scope);
    return Array.isArray(fields.items) ? { fields, items: fields.items } : { fields };
  } catch (thrown) {
    return { fields: {}, problem: toRecipeError(thrown) };
  }
}

function gateOf(node: RecipeNode, scope: Scope): string | undefined {
  if (node.when && !evaluate(node.when, scope.values()).held) return 'when predicate was false';
  if (node.unless && evaluate(node.unless, scope.values()).held) return 'unless predicate was true';
  return undefined;
}

function fieldsOf(node: RecipeNode, action: Action, scope: Scope): Record<string, unknown> {
  const bound = [...node.bindings].map(([field, { source, path = '$' }]) => {
    const found = scope.read(source, parsePath(path) ?? []);
    if (!found.found)
      throw new RecipeError(
        'node.missing_value',
        'action',
        `${JSON.stringify(field)} reads ${source} ${path}, which is missing.`,
      );
    return [field, found.value] as const;
  });
  const parsed = action.schema.safeParse({ ...expandFields(node, action, scope), ...Object.fromEntries(bound) });
  if (parsed.success) return parsed.data as Record<string, unknown>;
  const [issue] = parsed.error.issues;
  throw new RecipeError(
    'action.invalid_field',
    'action',
    `${node.action}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}

function expandFields(node: RecipeNode, { shellFields = [] }: Action, scope: Scope): Record<string, unknown> {
  try {
    const values = scope.lookup();
    const plain = Object.entries(node.fields).filter(([field]) => !shellFields.includes(field));
    const fields = expand(Object.fromEntries(plain), values) as Record<string, unknown>;
    for (const field of shellFields) {
      const text = node.fields[field];
      if (typeof text !== 'string') continue;
      const { text: bound, env } = bindShell(text, values);
      fields[field] = bound;
      if (Object.keys(env).length > 0) fields.env = { ...(fields.env as object | undefined), ...env };
    }
    return fields;
  } catch (thrown) {
    if (!(thrown instanceof UnresolvedReference)) throw thrown;
    throw new RecipeError('template.unresolved_reference', 'action', thrown.message);
  }
}
