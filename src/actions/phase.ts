// The life-cycle role and the evidence policy of a node, where its author left them open (spec §8, §9).

import type { Flow, Phase, RecipeNode, RecordPolicy } from '../recipe/recipe.js';
import { type Declaration, evaluatesAssert } from './action.js';

type Flows = ReadonlyMap<string, Flow>;

export function phaseOf(node: RecipeNode, action: Declaration, flows: Flows): Phase | undefined {
  if (node.phase) return node.phase;
  const called = calledFlow(node, flows)?.defaultPhase;
  if (called) return called;
  if (node.pointer === '/startState') return 'start_state';
  if (/^\/validate\/workflow\/(setup|pre_conditions)\//.test(node.pointer)) return 'setup';
  if (node.pointer.startsWith('/validate/workflow/teardown/')) return 'teardown';
  if (evaluatesAssert(action, node)) return 'assert';
  if (node.proofTarget !== undefined) return 'proof';
  return node.assert === undefined ? undefined : 'assert';
}

export function recordOf(node: RecipeNode, phase: Phase | undefined, flows: Flows): RecordPolicy {
  return node.record ?? calledFlow(node, flows)?.defaultRecord ?? (phase === 'proof' ? 'proof_window' : 'trace_only');
}

function calledFlow({ fields: { ref } }: RecipeNode, flows: Flows): Flow | undefined {
  return typeof ref === 'string' ? flows.get(ref) : undefined;
}
