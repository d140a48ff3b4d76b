// Proof targets are declared, and each has a node that can prove it (spec §10).

import { didYouMean } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import type { Checked, NodeInGraph, Rule } from '../rules.js';

export const proofRules: Rule = (checked) => {
  const targets = checked.compiled.recipe.proofTargets;
  const ids = targets.map((target) => target.id);
  for (const { node } of checked.nodes) {
    if (node.proofTarget === undefined || ids.includes(node.proofTarget)) continue;
    const message = `The proof target ${JSON.stringify(node.proofTarget)} is not declared in "proofTargets".`;
    checked.report({
      code: 'recipe.undeclared_proof_target',
      path: joinPointer(node.pointer, 'proofTarget'),
      message,
      hint: didYouMean(node.proofTarget, ids),
    });
  }
  for (const [index, { id, blocked }] of targets.entries()) {
    if (blocked !== undefined || checked.nodes.some((at) => mayProve(checked, at, id))) continue;
    const message = `No node that is mapped to ${JSON.stringify(id)} asserts anything, so it can never be proven.`;
    checked.report({ code: 'recipe.unproven_target', severity: 'warning', path: joinPointer('/proofTargets', index), message });
  }
};

// A call may prove its target through the nodes of its flow.
function mayProve({ registry, compiled }: Checked, { node }: NodeInGraph, id: string): boolean {
  if (node.proofTarget !== id) return false;
  const action = registry.get(node.action);
  return node.assert !== undefined || action?.asserts === true || action?.opens?.(node, compiled.recipe.flows) !== undefined;
}
