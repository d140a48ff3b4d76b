// Flows are contracts: described, with postconditions where they promise a state, few and parameterized (spec §8, §8.1, §18).

import { didYouMean } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import { referencesIn } from '../../engine/template.js';
import type { Flow } from '../../recipe/recipe.js';
import { duplicateFlows } from '../duplicateFlows.js';
import type { Checked, Rule } from '../rules.js';

export const flowRules: Rule = (checked) => {
  if (checked.compiled.recipe.flows.size === 0) return;
  const flows = [...checked.compiled.recipe.flows.values()];
  for (const flow of flows) {
    checkContract(checked, flow);
    checkActions(checked, flow);
  }
  for (const { id, others, wanted } of duplicateFlows(flows.map((flow) => flow.id))) {
    const message = `${JSON.stringify(id)} and ${others.map((other) => JSON.stringify(other)).join(', ')} differ only by a state, polarity or route.`;
    const hint = `One flow with a parameter covers them, such as ${wanted}.`;
    checked.report({ code: 'flow.duplicate', severity: 'warning', path: joinPointer('/flows', id), message, hint });
  }
};

function checkContract({ compiled, report, forProof }: Checked, flow: Flow): void {
  const { id, pointer, postcondition } = flow;
  if (/(^|[._-])ensure[_-]/.test(id) && postcondition === undefined && !flow.fromRecipe) {
    const message = `${JSON.stringify(id)} promises a state, so it needs a "postcondition" that proves it.`;
    report({ code: 'flow.missing_postcondition', path: pointer, message });
  }
  if (flow.catalog !== undefined || compiled.kind === 'catalog') {
    for (const field of ['version', 'description'] as const) {
      if (flow[field] !== undefined) continue;
      const message = `${JSON.stringify(id)} has no ${JSON.stringify(field)}, which a flow of a catalog must have.`;
      report({ code: `flow.missing_${field}`, severity: forProof, path: pointer, message });
    }
  }
  const usesParams = [...flow.nodes.values()].some((node) =>
    referencesIn([node.fields, node.assert, node.when, node.unless]).some((name) => name.startsWith('params.')),
  );
  if (usesParams && flow.paramsSchema === undefined) {
    const message = `${JSON.stringify(id)} uses params but has no "paramsSchema" that says which.`;
    report({ code: 'flow.missing_params_schema', severity: 'warning', path: pointer, message });
  }
}

function checkActions({ vocabulary, report }: Checked, { id, pointer, nodes, requiresActions }: Flow): void {
  if (!requiresActions) return;
  for (const [index, action] of requiresActions.entries()) {
    if (vocabulary.has(action)) continue;
    const message = `${JSON.stringify(id)} requires the action ${JSON.stringify(action)}, which is not declared.`;
    const path = joinPointer(pointer, 'requiresActions', index);
    report({ code: 'flow.required_action_missing', path, message, hint: () => didYouMean(action, [...vocabulary.keys()]) });
  }
  for (const node of nodes.values()) {
    if (!node.action.includes('.') || requiresActions.includes(node.action)) continue;
    const message = `${JSON.stringify(id)} uses ${JSON.stringify(node.action)} but does not list it in "requiresActions".`;
    report({ code: 'flow.undeclared_action', severity: 'warning', path: joinPointer(node.pointer, 'action'), message });
  }
}
