// Checks that no node of the proof produces the result that the proof has to show. Only setup may prepare a state (spec §2, §4, §9).

import { effectOf } from '../../actions/action.js';
import { phaseOf } from '../../actions/phaseDefaults.js';
import { joinPointer } from '../../document/jsonPointer.js';
import type { Phase, RecipeNode } from '../../recipe/recipe.js';
import { comesBefore } from '../reachability.js';
import type { Rule, RuleContext } from '../ruleContext.js';
import { childrenOf, findServedTargets, visibleTargets } from './servedTargets.js';

export const phaseRules: Rule = (context) => {
  checkStartState(context);
  const served = findServedTargets(context);
  const visible = visibleTargets(context, served);
  if (context.traits.mayBackdoor) checkBackdoors(context);
  if (visible.size === 0) return;
  for (const [node, targets] of served) {
    const visibleTarget = [...targets].find((id) => visible.has(id));
    if (visibleTarget !== undefined) checkCommand(context, node, visibleTarget);
  }
};

function checkStartState({ compiled, declarationOf, report, proofSeverity }: RuleContext): void {
  const node = compiled.recipe.startState;
  const action = node && declarationOf(node);
  if (!node || !action || action.planRegion || action.planNext) return;
  const message = `"startState" must be a call of a flow, but its action is ${JSON.stringify(node.action)}.`;
  const hint = 'Move the steps into a flow and call it, or move them to "setup".';
  report({ code: 'workflow.start_state_not_call', severity: proofSeverity, path: '/startState/action', message, hint });
}

// A command or a request could produce the result that the page has to show.
function checkCommand({ declarationOf, report, proofSeverity }: RuleContext, node: RecipeNode, target: string): void {
  const action = declarationOf(node);
  if (!action?.bypassesPage || effectOf(action, node) === 'reads') return;
  const message = `${node.action} serves ${JSON.stringify(target)}, a claim about the UI, but the action could itself produce what the page has to show.`;
  const hint = 'Prove the claim through the page, or declare "effect": "reads" if the action changes nothing.';
  report({ code: 'workflow.command_for_visible_target', severity: proofSeverity, path: node.pointer, message, hint });
}

type NodeTest = (node: RecipeNode) => boolean;

// A backdoor in the proof, or after its first node, could produce what the proof then asserts (spec §2, §4, §9).
function checkBackdoors(context: RuleContext): void {
  const isBackdoor: NodeTest = (node) => {
    const action = context.declarationOf(node);
    return action !== undefined && effectOf(action, node) === 'backdoor';
  };
  if (!context.nodes.some(({ node }) => isBackdoor(node))) return;
  const inProof = proofNodes(context);
  const hasProof: NodeTest = (node) => withInnerNodes(context, node).some((inner) => inProof.has(inner));
  // The value is the node of the proof that can run before the backdoor, unless the backdoor is itself part of the proof.
  const refused = new Map<RecipeNode, RecipeNode | undefined>();
  for (const node of inProof) if (isBackdoor(node)) refused.set(node, undefined);
  for (const { node, provingNode } of nodesAfterProof(context, hasProof))
    for (const inner of withInnerNodes(context, node))
      if (isBackdoor(inner) && !refused.has(inner)) refused.set(inner, provingNode);
  for (const [node, provingNode] of refused) {
    const path = joinPointer(node.pointer, 'action');
    context.report({ code: 'workflow.backdoor_in_proof', path, ...describeBackdoor(node, provingNode) });
  }
}

function describeBackdoor({ action, phase }: RecipeNode, provingNode: RecipeNode | undefined): { message: string; hint: string } {
  const message = `${action} changes state behind the user's back, which a proof must not do`;
  if (!provingNode)
    return { message: `${message}.`, hint: 'Move the node to "setup" or "startState", or let the proof act as a user.' };
  const provingId = JSON.stringify(provingNode.id);
  const despitePhase = phase === undefined ? '' : ', despite its "phase"';
  return {
    message: `${message}, and the proof has begun: ${provingId} is part of it and can run before this node${despitePhase}.`,
    hint: `Move the node before ${provingId}, or to "setup" or "startState" of the recipe, or let the proof act as a user.`,
  };
}

/** A node and every node that can run inside it. */
function withInnerNodes(context: RuleContext, node: RecipeNode): RecipeNode[] {
  const found = new Set([node]);
  for (const outer of found) for (const child of innerNodes(context, outer)) found.add(child);
  return [...found];
}

function* innerNodes(context: RuleContext, node: RecipeNode): Generator<RecipeNode> {
  yield* childrenOf(context, node);
  if (node.retry?.recover) yield node.retry.recover;
}

type NodeAfterProof = { node: RecipeNode; provingNode: RecipeNode };

/** The nodes that can run after a node of the proof in the same graph: the workflow, a flow or a body. */
function* nodesAfterProof(context: RuleContext, hasProof: NodeTest): Generator<NodeAfterProof> {
  const { recipe } = context.compiled;
  for (const nodes of [recipe.nodes, ...[...recipe.flows.values()].map((flow) => flow.nodes)]) {
    const proving = [...nodes.values()].filter(hasProof);
    for (const node of nodes.values()) {
      const provingNode = proving.find(
        ({ id }) => id !== node.id && comesBefore({ from: id, to: node, nodes }, context.reachability),
      );
      if (provingNode) yield { node, provingNode };
    }
  }
  for (const { node } of context.nodes) if (node.body) yield* bodyNodesAfterProof(context, node, hasProof);
}

function* bodyNodesAfterProof(context: RuleContext, node: RecipeNode, hasProof: NodeTest): Generator<NodeAfterProof> {
  const region = context.declarationOf(node)?.planRegion?.(node, context.compiled.recipe.flows);
  const isOrdered = region?.kind === 'all' && region.inTurn;
  const children = [...childrenOf(context, node)];
  for (const [index, child] of children.entries()) {
    const others = isOrdered ? children.slice(0, index) : children.filter((other) => other !== child);
    const provingNode = others.find(hasProof);
    if (provingNode) yield { node: child, provingNode };
  }
}

/** The nodes of the proof: nodes with the phase `proof` or `assert` or a proof target, and all nodes inside them. */
function proofNodes(context: RuleContext): ReadonlySet<RecipeNode> {
  const found = new Set<RecipeNode>();
  const seen = new Set<RecipeNode>();
  const visit = (node: RecipeNode, outerPhase: Phase | undefined): void => {
    const action = context.declarationOf(node);
    const phase = (action && phaseOf(node, action, context.compiled.recipe.flows)) ?? outerPhase;
    const proves = node.proofTarget !== undefined || phase === 'proof' || phase === 'assert';
    if (found.has(node) || (!proves && seen.has(node))) return;
    seen.add(node);
    if (proves) found.add(node);
    const innerPhase = node.phase ?? (node.proofTarget === undefined ? outerPhase : 'proof') ?? phase;
    for (const child of innerNodes(context, node)) visit(child, innerPhase);
  };
  for (const { node, graph } of context.nodes) if (graph === 'workflow') visit(node, undefined);
  return found;
}
