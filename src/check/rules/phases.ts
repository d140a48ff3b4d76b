// Setup prepares, proof shows: nothing in a proof may make its own outcome (spec §2, §4, §9).
import { type Declaration, effectOf } from '../../actions/action.js';
import type { Phase, RecipeNode } from '../../dialects/recipe.js';
import { joinPointer } from '../../document/pointer.js';
import { phaseOf } from '../../run/phase.js';
import type { Checked, NodeInGraph, Rule } from '../rules.js';
import { comesBefore } from '../transitions.js';
import { childrenOf, servedBy, visibleTargets } from './served.js';

export const phaseRules: Rule = (checked) => {
  checkStartState(checked);
  const served = servedBy(checked);
  const visible = visibleTargets(checked, served);
  const backdoors = checked.nodes.filter(({ node }) => isBackdoor(checked.declared(node), node));
  if (backdoors.length > 0) checkBackdoors(checked, backdoors);
  if (visible.size === 0) return;
  for (const [node, targets] of served) {
    const shown = [...targets].find((id) => visible.has(id));
    if (shown !== undefined) checkCommand(checked, node, shown);
  }
};

function checkStartState({ compiled, declared, report, forProof }: Checked): void {
  const node = compiled.recipe.startState;
  const action = node && declared(node);
  if (!node || !action || action.opens || action.leads) return;
  const message = `"startState" is one call of a flow, but its action is ${JSON.stringify(node.action)}.`;
  const hint = 'Put the steps into a flow and call it, or move them to "setup".';
  report({ code: 'workflow.start_state_not_call', severity: forProof, path: '/startState/action', message, hint });
}

function isBackdoor(action: Declaration | undefined, node: RecipeNode): boolean {
  return action !== undefined && effectOf(action, node) === 'backdoor';
}

// Whatever phase its author gives it, a backdoor behind the first node of the proof could make what is then asserted.
function checkBackdoors(checked: Checked, backdoors: readonly NodeInGraph[]): void {
  const { nodes } = checked.compiled.recipe;
  const inProof = proofNodes(checked);
  const firstOnes = [...nodes.values()].filter((node) => inProof.has(node));
  for (const { node, graph } of backdoors) {
    const behind =
      graph === 'workflow' &&
      firstOnes.some((first) => first !== node && comesBefore({ from: first.id, to: node, nodes }, checked.memo));
    if (!inProof.has(node) && !behind) continue;
    const message = `${node.action} changes state behind the user's back, which no proof may do.`;
    const hint = 'Move it to "setup" or "startState", or let the proof act as a user.';
    checked.report({ code: 'workflow.backdoor_in_proof', path: joinPointer(node.pointer, 'action'), message, hint });
  }
}

/** The nodes of the proof: by their own phase or claim, or because what calls them is part of it. */
function proofNodes(checked: Checked): ReadonlySet<RecipeNode> {
  const found = new Set<RecipeNode>();
  const visit = (node: RecipeNode, around: Phase | undefined): void => {
    const action = checked.declared(node);
    const own = (action && phaseOf(node, action, checked.compiled.recipe.flows)) ?? around;
    const proves = node.proofTarget !== undefined || own === 'proof' || own === 'assert';
    if (!proves || found.has(node)) return;
    found.add(node);
    const inside = node.phase ?? (node.proofTarget === undefined ? around : 'proof') ?? own;
    for (const child of childrenOf(checked, node)) visit(child, inside);
  };
  for (const { node, graph } of checked.nodes) if (graph === 'workflow') visit(node, undefined);
  return found;
}

// A shell could make the outcome that the page is to show.
function checkCommand({ declared, report, forProof }: Checked, node: RecipeNode, target: string): void {
  const action = declared(node);
  if (!action?.shellFields || effectOf(action, node) === 'reads') return;
  const message = `${node.action} serves ${JSON.stringify(target)}, a claim about the UI, and could make what the page is to show.`;
  const hint = 'Prove it through the page, or declare "effect": "reads" when it changes nothing.';
  report({ code: 'workflow.command_for_visible_target', severity: forProof, path: node.pointer, message, hint });
}
