// Checks that proof targets are declared, and that each has nodes that can prove it and capture evidence (spec §10, §18).

import { effectOf, evaluatesAssert } from '../../actions/action.js';
import { phaseOf } from '../../actions/phaseDefaults.js';
import { didYouMean } from '../../document/didYouMean.js';
import { joinPointer } from '../../document/jsonPointer.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { reachableFrom } from '../reachability.js';
import type { Rule, RuleContext } from '../ruleContext.js';
import { childrenOf, findServedTargets, visibleTargets } from './servedTargets.js';

export const proofRules: Rule = (context) => {
  const targets = context.compiled.recipe.proofTargets;
  if (context.compiled.kind === 'catalog') return;
  const ids = targets.map(({ id }) => id);
  for (const { node } of context.nodes) {
    if (node.proofTarget !== undefined && !ids.includes(node.proofTarget)) reportUndeclared(context, node, node.proofTarget, ids);
    if (node.proves === undefined) continue;
    for (const id of node.proves) if (id !== node.proofTarget && !ids.includes(id)) reportUndeclared(context, node, id, ids);
  }
  let index = 0;
  for (const { id, blocked } of targets) {
    const path = `/proofTargets/${index}`;
    if (ids.indexOf(id) !== index++) reportDuplicateTarget(context, id, path);
    else if (blocked === undefined) checkProvable(context, id, path);
  }
  if (context.production && targets.length === 0) {
    const hint =
      'Add "proofTargets": [{ "id": "AC1", "claim": "…" }], and add its id as "proofTarget" to the nodes that prove it.';
    context.report({
      code: 'recipe.missing_proof_targets',
      path: '',
      message: 'The recipe has no "proofTargets", so it proves no claim.',
      hint,
    });
  }
  if (targets.length > 0 || context.production) checkMapped(context);
  else checkSmoke(context);
};

function reportDuplicateTarget({ report }: RuleContext, id: string, path: string): void {
  const message = `The proof target ${JSON.stringify(id)} is declared twice.`;
  report({ code: 'recipe.duplicate_proof_target', path, message });
}

// A recipe without proof targets is a smoke test, which means something only if a node can fail.
function checkSmoke(context: RuleContext): void {
  for (const node of listCountingNodes(context)) if (canAssert(context, node) || mayFail(context, node)) return;
  const message = 'The recipe proves nothing: no node that it reaches can fail.';
  context.report({ code: 'recipe.proves_nothing', severity: 'warning', path: '/validate/workflow', message });
}

function reportUndeclared({ report }: RuleContext, { pointer }: RecipeNode, proofTarget: string, ids: readonly string[]): void {
  const message = `The proof target ${JSON.stringify(proofTarget)} is not declared in "proofTargets".`;
  const path = joinPointer(pointer, 'proofTarget');
  report({ code: 'recipe.undeclared_proof_target', path, message, hint: () => didYouMean(proofTarget, ids) });
}

function checkProvable(context: RuleContext, id: string, path: string): void {
  const served = findServedTargets(context);
  const nodes = listCountingNodes(context).filter((node) => served.get(node)?.has(id));
  const severity = context.proofSeverity;
  if (!nodes.some((node) => canAssert(context, node))) {
    const message = `No node with "proofTarget": ${JSON.stringify(id)} asserts anything, so this claim can never be proven.`;
    context.report({ code: 'recipe.unproven_target', severity, path, message });
  }
  if (
    !context.traits.hasNeeds ||
    !visibleTargets(context, served).has(id) ||
    nodes.some((node) => context.declarationOf(node)?.captures)
  )
    return;
  const message = `The claim ${JSON.stringify(id)} is about the UI, but no node with this "proofTarget" takes a screenshot.`;
  const hint = `Add a ui.screenshot with "proofTarget": ${JSON.stringify(id)}.`;
  context.report({ code: 'recipe.visible_target_without_evidence', severity, path, message, hint });
}

function mayFail({ declarationOf, compiled }: RuleContext, node: RecipeNode): boolean {
  const action = declarationOf(node);
  if (!action) return true;
  return action.fallible ? action.fallible(node.fields, compiled.recipe.flows) : effectOf(action, node) !== 'none';
}

/** The nodes whose success counts as proof: they can be reached, and their failure is not tolerated. */
function listCountingNodes(context: RuleContext): readonly RecipeNode[] {
  if (context.countingNodes) return context.countingNodes;
  const { recipe } = context.compiled;
  const found = new Set<RecipeNode>();
  const visit = (node: RecipeNode): void => {
    if (node.onFail === 'continue' || found.has(node)) return;
    found.add(node);
    for (const child of childrenOf(context, node)) visit(child);
  };
  const reached = reachableFrom(recipe.entry, recipe.nodes, context.reachability);
  for (const node of recipe.nodes.values()) if (reached.has(node.id)) visit(node);
  context.countingNodes = [...found];
  return context.countingNodes;
}

function canAssert({ declarationOf, compiled }: RuleContext, node: RecipeNode): boolean {
  if (node.assert !== undefined) return true;
  const action = declarationOf(node);
  if (!action) return true;
  const { ref } = node.fields;
  const proves = action.planRegion && typeof ref === 'string' && compiled.recipe.flows.get(ref)?.postcondition !== undefined;
  return evaluatesAssert(action, node) || Boolean(proves);
}

function checkMapped(context: RuleContext): void {
  const served = findServedTargets(context);
  for (const { node, graph } of context.nodes) {
    if (graph !== 'workflow' || served.has(node)) continue;
    const action = context.declarationOf(node);
    if (!action || !(node.phase || node.assert || action.captures || evaluatesAssert(action, node))) continue;
    const phase = phaseOf(node, action, context.compiled.recipe.flows);
    const isEvidence = action.captures === true && phase === undefined;
    if (phase !== 'proof' && phase !== 'assert' && !isEvidence) continue;
    const role = isEvidence ? 'captures evidence' : phase === 'proof' ? 'is part of the proof' : 'asserts something';
    const message = `The node ${JSON.stringify(node.id)} ${role}, but has no "proofTarget".`;
    context.report({ code: 'workflow.node_without_proof_target', severity: context.proofSeverity, path: node.pointer, message });
  }
}
