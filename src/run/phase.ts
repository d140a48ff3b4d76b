// The life-cycle role and the evidence policy of a node, where its author left them open (spec §9).
import { assertsIn, type Declaration } from '../actions/action.js';
import type { Phase, RecipeNode, Record } from '../dialects/recipe.js';

export function phaseOf(node: RecipeNode, action: Declaration): Phase | undefined {
  if (node.phase) return node.phase;
  if (node.pointer === '/startState') return 'start_state';
  if (node.pointer.startsWith('/validate/workflow/setup/')) return 'setup';
  if (node.pointer.startsWith('/validate/workflow/teardown/')) return 'teardown';
  if (assertsIn(action, node)) return 'assert';
  if (node.proofTarget !== undefined) return 'proof';
  return node.assert === undefined ? undefined : 'assert';
}

export function recordOf(node: RecipeNode, phase: Phase | undefined): Record {
  return node.record ?? (phase === 'proof' ? 'proof_window' : 'trace_only');
}
