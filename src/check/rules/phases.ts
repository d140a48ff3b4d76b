// Setup prepares, proof shows: nothing in a proof may make its own outcome (spec §2, §4, §9).
import { effectOf } from '../../actions/action.js';
import { phaseOf } from '../../actions/phase.js';
import { joinPointer } from '../../document/jsonPointer.js';
import type { Phase, RecipeNode } from '../../recipe/recipe.js';
import { comesBefore } from '../reachability.js';
import type { Rule, RuleContext } from '../ruleContext.js';
import { childrenOf, findServedTargets, visibleTargets } from './servedTargets.js';

export const phaseRules: Rule = (checked) => {
  checkStartState(checked);
  const served = findServedTargets(checked);
  const visible = visibleTargets(checked, served);
  if (checked.traits.mayBackdoor) checkBackdoors(checked);
  if (visible.size === 0) return;
  for (const [node, targets] of served) {
    const visibleTarget = [...targets].find((id) => visible.has(id));
    if (visibleTarget !== undefined) checkCommand(checked, node, visibleTarget);
  }
};

function checkStartState({ compiled, declarationOf, report, proofSeverity }: RuleContext): void {
  const node = compiled.recipe.startState;
  const action = node && declarationOf(node);
  if (!node || !action || action.planRegion || action.planNext) return;
  const message = `"startState" is one call of a flow, but its action is ${JSON.stringify(node.action)}.`;
  const hint = 'Put the steps into a flow and call it, or move them to "setup".';
  report({ code: 'workflow.start_state_not_call', severity: proofSeverity, path: '/startState/action', message, hint });
}

// A shell could make the outcome that the page is to show.
function checkCommand({ declarationOf, report, proofSeverity }: RuleContext, node: RecipeNode, target: string): void {
  const action = declarationOf(node);
  if (!action?.shellFields || effectOf(action, node) === 'reads') return;
  const message = `${node.action} serves ${JSON.stringify(target)}, a claim about the UI, and could make what the page is to show.`;
  const hint = 'Prove it through the page, or declare "effect": "reads" when it changes nothing.';
  report({ code: 'workflow.command_for_visible_target', severity: proofSeverity, path: node.pointer, message, hint });
}

// No backdoor in a proof, or behind its first node: it could make what is then asserted (spec §2, §4, §9).

type NodeTest = (node: RecipeNode) => boolean;

export function checkBackdoors(checked: RuleContext): void {
  const isBackdoor: NodeTest = (node) => {
    const action = checked.declarationOf(node);
    return action !== undefined && effectOf(action, node) === 'backdoor';
  };
  if (!checked.nodes.some(({ node }) => isBackdoor(node))) return;
  const inProof = proofNodes(checked);
  const hasProof: NodeTest = (node) => withInnerNodes(checked, node).some((inner) => inProof.has(inner));
  // With the node of the proof that can run before it, where it is no part of the proof itself.
  const refused = new Map<RecipeNode, RecipeNode | undefined>();
  for (const node of inProof) if (isBackdoor(node)) refused.set(node, undefined);
  for (const { node, provingNode } of nodesAfterProof(checked, hasProof))
    for (const inner of withInnerNodes(checked, node))
      if (isBackdoor(inner) && !refused.has(inner)) refused.set(inner, provingNode);
  for (const [node, behind] of refused) {
    const path = joinPointer(node.pointer, 'action');
    checked.report({ code: 'workflow.backdoor_in_proof', path, ...describeBackdoor(node, behind) });
  }
}

function describeBackdoor({ action, phase }: RecipeNode, behind: RecipeNode | undefined): { message: string; hint: string } {
  const message = `${action} changes state behind the user's back, which no proof may do`;
  if (!behind) return { message: `${message}.`, hint: 'Move it to "setup" or "startState", or let the proof act as a user.' };
  const proving = JSON.stringify(behind.id);
  const whatever = phase === undefined ? '' : ', whatever its "phase" says';
  return {
    message: `${message}, and the proof has begun: ${proving} is part of it and can run before this node${whatever}.`,
    hint: `Move it before ${proving}, or to "setup" or "startState" of the recipe, or let the proof act as a user.`,
  };
}

/** A node and everything that can run inside of it. */
function withInnerNodes(checked: RuleContext, node: RecipeNode): RecipeNode[] {
  const found = new Set([node]);
  for (const one of found) for (const child of innerNodes(checked, one)) found.add(child);
  return [...found];
}

function* innerNodes(checked: RuleContext, node: RecipeNode): Generator<RecipeNode> {
  yield* childrenOf(checked, node);
  if (node.retry?.recover) yield node.retry.recover;
}

type NodeAfterProof = { node: RecipeNode; provingNode: RecipeNode };

/** The nodes that can run after a neighbour that proves something, in the workflow, in flows and in bodies. */
function* nodesAfterProof(checked: RuleContext, hasProof: NodeTest): Generator<NodeAfterProof> {
  const { recipe } = checked.compiled;
  for (const nodes of [recipe.nodes, ...[...recipe.flows.values()].map((flow) => flow.nodes)]) {
    const proving = [...nodes.values()].filter(hasProof);
    for (const node of nodes.values()) {
      const provingNode = proving.find(
        ({ id }) => id !== node.id && comesBefore({ from: id, to: node, nodes }, checked.reachability),
      );
      if (provingNode) yield { node, provingNode };
    }
  }
  for (const { node } of checked.nodes) if (node.body) yield* bodyNodesAfterProof(checked, node, hasProof);
}

function* bodyNodesAfterProof(checked: RuleContext, node: RecipeNode, hasProof: NodeTest): Generator<NodeAfterProof> {
  const opened = checked.declarationOf(node)?.planRegion?.(node, checked.compiled.recipe.flows);
  const ordered = opened?.kind === 'all' && opened.inTurn;
  const children = [...childrenOf(checked, node)];
  for (const [index, child] of children.entries()) {
    const before = ordered ? children.slice(0, index) : children.filter((other) => other !== child);
    const provingNode = before.find(hasProof);
    if (provingNode) yield { node: child, provingNode };
  }
}

/** The nodes of the proof: by their own phase or claim, or because what runs them is part of it. */
function proofNodes(checked: RuleContext): ReadonlySet<RecipeNode> {
  const found = new Set<RecipeNode>();
  const seen = new Set<RecipeNode>();
  const visit = (node: RecipeNode, around: Phase | undefined): void => {
    const action = checked.declarationOf(node);
    const own = (action && phaseOf(node, action, checked.compiled.recipe.flows)) ?? around;
    const proves = node.proofTarget !== undefined || own === 'proof' || own === 'assert';
    if (found.has(node) || (!proves && seen.has(node))) return;
    seen.add(node);
    if (proves) found.add(node);
    const inside = node.phase ?? (node.proofTarget === undefined ? around : 'proof') ?? own;
    for (const child of innerNodes(checked, node)) visit(child, inside);
  };
  for (const { node, graph } of checked.nodes) if (graph === 'workflow') visit(node, undefined);
  return found;
}
