// Every action is one this host can execute, with fields it understands (spec §6, §15).
import { unmetNeeds } from '../../actions/registry.js';
import type { RecipeNode } from '../../dialects/recipe.js';
import { didYouMean } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import { referencesIn } from '../../graph/template.js';
import type { Checked, Rule } from '../rules.js';

export const actionRules: Rule = (checked) => {
  for (const { node } of checked.nodes) {
    const action = checked.registry.get(node.action);
    if (!action) reportUnknown(checked, node);
    else checkFields(checked, node);
    if (action?.opens && !action.opens(node, checked.compiled.recipe.flows)) reportNothingToOpen(checked, node);
  }
};

function reportUnknown({ registry, report }: Checked, node: RecipeNode): void {
  const path = joinPointer(node.pointer, 'action');
  const needs = unmetNeeds(node.action, registry);
  const message = `The action ${JSON.stringify(node.action)} is not one this host can execute.`;
  const missing = `It needs ${needs.join(', ')}, which this host does not give. Run the recipe with "npx playwright test".`;
  report({
    code: 'recipe.action_not_declared_by_manifest',
    path,
    message,
    hint: needs.length > 0 ? missing : didYouMean(node.action, [...registry.keys()]),
  });
}

function reportNothingToOpen({ compiled, report }: Checked, node: RecipeNode): void {
  const { ref } = node.fields;
  if (typeof ref !== 'string') {
    report({
      code: 'workflow.missing_body',
      path: node.pointer,
      message: `${node.action} needs a "body" with the nodes it runs.`,
    });
    return;
  }
  const message = `The flow ${JSON.stringify(ref)} is neither in "flows" nor in a catalog of "uses".`;
  report({
    code: 'workflow.unresolved_call_ref',
    path: joinPointer(node.pointer, 'ref'),
    message,
    hint: didYouMean(ref, [...compiled.recipe.flows.keys()]),
  });
}

// A field filled at run time is checked again then; its place here holds a reference, or nothing.
function checkFields({ registry, report }: Checked, node: RecipeNode): void {
  const action = registry.get(node.action);
  for (const issue of action?.schema.safeParse(node.fields).error?.issues ?? []) {
    const [field] = issue.path.map(String);
    if (field !== undefined && (node.bindings.has(field) || referencesIn(node.fields[field]).length > 0)) continue;
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys : [];
    const bound = unknown.length === 0 && field === undefined && node.bindings.size > 0;
    if (bound) continue;
    const path = joinPointer(node.pointer, ...issue.path.map(String), ...unknown.slice(0, 1));
    const message = `${node.action}: ${issue.path.length > 0 ? `${JSON.stringify(issue.path.join('.'))}: ` : ''}${issue.message}.`;
    report({
      code: unknown.length > 0 ? 'action.unknown_field' : 'action.invalid_field',
      path,
      message,
      ...hintFor(unknown, action?.schema),
    });
  }
}

function hintFor(unknown: readonly string[], schema: unknown): { hint?: string } {
  const shape = (schema as { shape?: Record<string, unknown> } | undefined)?.shape;
  return unknown[0] !== undefined && shape ? { hint: didYouMean(unknown[0], Object.keys(shape)) } : {};
}
