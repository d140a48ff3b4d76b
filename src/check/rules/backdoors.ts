// No backdoor in a proof, or behind its first node: it could make what is then asserted (spec §2, §4, §9).
import { effectOf } from '../../actions/action.js';
import { phaseOf } from '../../actions/phase.js';
import { joinPointer } from '../../document/pointer.js';
import type { Phase, RecipeNode } from '../../recipe/recipe.js';
import type { Checked } from '../rules.js';
import { comesBefore } from '../transitions.js';
import { childrenOf } from './served.js';

type Holds = (node: RecipeNode) => boolean;

export function checkBackdoors(checked: Checked): void {
  const isBackdoor: Holds = (node) => {
    const action = checked.declared(node);
    return action !== undefined && effectOf(action, node) === 'backdoor';
  };
  if (!checked.nodes.some(({ node }) => isBackdoor(node))) return;
  const inProof = proofNodes(checked);
  const hasProof: Holds = (node) => within(checked, node).some((inner) => inProof.has(inner));
  // With the node of the proof that can run before it, where it is no part of the proof itself.
  const refused = new Map<RecipeNode, RecipeNode | undefined>();
  for (const node of inProof) if (isBackdoor(node)) refused.set(node, undefined);
  for (const { node, behind } of behindProof(checked, hasProof))
    for (const inner of within(checked, node)) if (isBackdoor(inner) && !refused.has(inner)) refused.set(inner, behind);
  for (const [node, behind] of refused) {
    const path = joinPointer(node.pointer, 'action');
    checked.report({ code: 'workflow.backdoor_in_proof', path, ...wordsFor(node, behind) });
  }
}

function wordsFor({ action, phase }: RecipeNode, behind: RecipeNode | undefined): { message: string; hint: string } {
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
function within(checked: Checked, node: RecipeNode): RecipeNode[] {
  const found = new Set([node]);
  for (const one of found) for (const child of insideOf(checked, one)) found.add(child);
  return [...found];
}

function* insideOf(checked: Checked, node: RecipeNode): Generator<RecipeNode> {
  yield* childrenOf(checked, node);
  if (node.retry?.recover) yield node.retry.recover;
}

type Behind = { node: RecipeNode; behind: RecipeNode };

/** The nodes that can run after a neighbour that proves something, in the workflow, in flows and in bodies. */
function* behindProof(checked: Checked, hasProof: Holds): Generator<Behind> {
  const { recipe } = checked.compiled;
  for (const nodes of [recipe.nodes, ...[...recipe.flows.values()].map((flow) => flow.nodes)]) {
    const proving = [...nodes.values()].filter(hasProof);
    for (const node of nodes.values()) {
      const behind = proving.find(({ id }) => id !== node.id && comesBefore({ from: id, to: node, nodes }, checked.memo));
      if (behind) yield { node, behind };
    }
  }
  for (const { node } of checked.nodes) if (node.body) yield* behindInBody(checked, node, hasProof);
}

function* behindInBody(checked: Checked, node: RecipeNode, hasProof: Holds): Generator<Behind> {
  const opened = checked.declared(node)?.opens?.(node, checked.compiled.recipe.flows);
  const ordered = opened?.kind === 'all' && opened.inTurn;
  const children = [...childrenOf(checked, node)];
  for (const [index, child] of children.entries()) {
    const before = ordered ? children.slice(0, index) : children.filter((other) => other !== child);
    const behind = before.find(hasProof);
    if (behind) yield { node: child, behind };
  }
}

/** The nodes of the proof: by their own phase or claim, or because what runs them is part of it. */
function proofNodes(checked: Checked): ReadonlySet<RecipeNode> {
  const found = new Set<RecipeNode>();
  const seen = new Set<RecipeNode>();
  const visit = (node: RecipeNode, around: Phase | undefined): void => {
    const action = checked.declared(node);
    const own = (action && phaseOf(node, action, checked.compiled.recipe.flows)) ?? around;
    const proves = node.proofTarget !== undefined || own === 'proof' || own === 'assert';
    if (found.has(node) || (!proves && seen.has(node))) return;
    seen.add(node);
    if (proves) found.add(node);
    const inside = node.phase ?? (node.proofTarget === undefined ? around : 'proof') ?? own;
    for (const child of insideOf(checked, node)) visit(child, inside);
  };
  for (const { node, graph } of checked.nodes) if (graph === 'workflow') visit(node, undefined);
  return found;
}
