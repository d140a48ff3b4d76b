// The life-cycle role and the evidence policy of a node, where its author left them open (spec §9).
import { assertsIn, type Declaration } from '../actions/action.js';
import type { Phase, RecipeNode, Record } from '../dialects/recipe.js';

export function phaseOf(node: RecipeNode, action: Declaration): Phase | undefined {
  if (node.phase) return node.phase;
  if (node.pointer === '/startState') return 'start_state';
  const list = /^\/validate\/workflow\/(setup|teardown)\//.exec(node.pointer)?.[1];
  if (list === 'setup' || list === 'teardown') return list;
  if (assertsIn(action, node)) return 'assert';
  return node.proofTarget === undefined ? undefined : 'proof';
}

export function recordOf(node: RecipeNode, phase: Phase | undefined): Record {
  return node.record ?? (phase === 'proof' ? 'proof_window' : 'trace_only');
}
