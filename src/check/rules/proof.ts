// Proof targets are declared, and each has nodes that can prove it and show it (spec §10, §18).
import { effectOf, evaluatesAssert } from '../../actions/action.js';
import { phaseOf } from '../../actions/phase.js';
import { didYouMean } from '../../document/didYouMean.js';
import { joinPointer } from '../../document/jsonPointer.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { reachableFrom } from '../reachability.js';
import type { Rule, RuleContext } from '../ruleContext.js';
import { childrenOf, findServedTargets, visibleTargets } from './servedTargets.js';

export const proofRules: Rule = (checked) => {
  const targets = checked.compiled.recipe.proofTargets;
  if (checked.compiled.kind === 'catalog') return;
  const ids = targets.map(({ id }) => id);
  for (const { node } of checked.nodes) {
    if (node.proofTarget !== undefined && !ids.includes(node.proofTarget)) reportUndeclared(checked, node, node.proofTarget, ids);
    if (node.proves === undefined) continue;
    for (const id of node.proves) if (id !== node.proofTarget && !ids.includes(id)) reportUndeclared(checked, node, id, ids);
  }
  let index = 0;
  for (const { id, blocked } of targets) {
    const path = `/proofTargets/${index}`;
    if (ids.indexOf(id) !== index++) reportDuplicateTarget(checked, id, path);
    else if (blocked === undefined) checkProvable(checked, id, path);
  }
  if (checked.production && targets.length === 0) {
    const hint = 'Add "proofTargets": [{ "id": "AC1", "claim": "…" }] and map the nodes that prove it.';
    checked.report({
      code: 'recipe.missing_proof_targets',
      path: '',
      message: 'The recipe declares no claim that it proves.',
      hint,
    });
  }
  if (targets.length > 0 || checked.production) checkMapped(checked);
  else checkSmoke(checked);
};

function reportDuplicateTarget({ report }: RuleContext, id: string, path: string): void {
  const message = `The proof target ${JSON.stringify(id)} is declared twice.`;
  report({ code: 'recipe.duplicate_proof_target', path, message });
}

// Without claims a recipe is a smoke test, which says something only when a node could have failed.
function checkSmoke(checked: RuleContext): void {
  for (const node of listCountingNodes(checked)) if (canAssert(checked, node) || mayFail(checked, node)) return;
  const message = 'The recipe proves nothing: no node that it comes to could fail.';
  checked.report({ code: 'recipe.proves_nothing', severity: 'warning', path: '/validate/workflow', message });
}

function reportUndeclared({ report }: RuleContext, { pointer }: RecipeNode, proofTarget: string, ids: readonly string[]): void {
  const message = `The proof target ${JSON.stringify(proofTarget)} is not declared in "proofTargets".`;
  const path = joinPointer(pointer, 'proofTarget');
  report({ code: 'recipe.undeclared_proof_target', path, message, hint: () => didYouMean(proofTarget, ids) });
}

function checkProvable(checked: RuleContext, id: string, path: string): void {
  const served = findServedTargets(checked);
  const nodes = listCountingNodes(checked).filter((node) => served.get(node)?.has(id));
  const severity = checked.proofSeverity;
  if (!nodes.some((node) => canAssert(checked, node))) {
    const message = `No node that is mapped to ${JSON.stringify(id)} asserts anything, so it can never be proven.`;
    checked.report({ code: 'recipe.unproven_target', severity, path, message });
  }
  if (
    !checked.traits.needs ||
    !visibleTargets(checked, served).has(id) ||
    nodes.some((node) => checked.declarationOf(node)?.captures)
  )
    return;
  const message = `${JSON.stringify(id)} is about the UI, but no node that is mapped to it keeps a picture.`;
  const hint = `Add a ui.screenshot with "proofTarget": ${JSON.stringify(id)}.`;
  checked.report({ code: 'recipe.visible_target_without_evidence', severity, path, message, hint });
}

function mayFail({ declarationOf, compiled }: RuleContext, node: RecipeNode): boolean {
  const action = declarationOf(node);
  if (!action) return true;
  return action.fallible ? action.fallible(node.fields, compiled.recipe.flows) : effectOf(action, node) !== 'none';
}

/** The nodes whose success says something: they can be reached in the proof, and a failure of theirs would be heard. */
function listCountingNodes(checked: RuleContext): readonly RecipeNode[] {
  if (checked.countingNodes) return checked.countingNodes;
  const { recipe } = checked.compiled;
  const found = new Set<RecipeNode>();
  const visit = (node: RecipeNode): void => {
    if (node.onFail === 'continue' || found.has(node)) return;
    found.add(node);
    for (const child of childrenOf(checked, node)) visit(child);
  };
  const reached = reachableFrom(recipe.entry, recipe.nodes, checked.reachability);
  for (const node of recipe.nodes.values()) if (reached.has(node.id)) visit(node);
  checked.countingNodes = [...found];
  return checked.countingNodes;
}

function canAssert({ declarationOf, compiled }: RuleContext, node: RecipeNode): boolean {
  if (node.assert !== undefined) return true;
  const action = declarationOf(node);
  if (!action) return true;
  const { ref } = node.fields;
  const proves = action.planRegion && typeof ref === 'string' && compiled.recipe.flows.get(ref)?.postcondition !== undefined;
  return evaluatesAssert(action, node) || Boolean(proves);
}

function checkMapped(checked: RuleContext): void {
  const served = findServedTargets(checked);
  for (const { node, graph } of checked.nodes) {
    if (graph !== 'workflow' || served.has(node)) continue;
    const action = checked.declarationOf(node);
    if (!action || !(node.phase || node.assert || action.captures || evaluatesAssert(action, node))) continue;
    const phase = phaseOf(node, action, checked.compiled.recipe.flows);
    const evidence = action.captures === true && phase === undefined;
    if (phase !== 'proof' && phase !== 'assert' && !evidence) continue;
    const what = evidence ? 'keeps evidence' : phase === 'proof' ? 'is part of the proof' : 'asserts something';
    const message = `${JSON.stringify(node.id)} ${what} but names no "proofTarget".`;
    checked.report({ code: 'workflow.node_without_proof_target', severity: checked.proofSeverity, path: node.pointer, message });
  }
}
