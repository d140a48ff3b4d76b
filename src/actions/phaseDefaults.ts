// The default phase and record policy of a node (spec §8, §9).

import type { Flow, Phase, RecipeNode, RecordPolicy, Section } from '../recipe/recipe.js';
import { type Declaration, evaluatesAssert } from './action.js';

type Flows = ReadonlyMap<string, Flow>;

export function phaseOf(node: RecipeNode, action: Declaration, flows: Flows): Phase | undefined {
  if (node.phase) return node.phase;
  const flowPhase = calledFlow(node, flows)?.defaultPhase;
  if (flowPhase) return flowPhase;
  const sectionPhase = sectionPhases[node.section];
  if (sectionPhase) return sectionPhase;
  if (evaluatesAssert(action, node)) return 'assert';
  if (node.proofTarget !== undefined) return 'proof';
  return node.assert === undefined ? undefined : 'assert';
}

export function recordOf(node: RecipeNode, phase: Phase | undefined, flows: Flows): RecordPolicy {
  return node.record ?? calledFlow(node, flows)?.defaultRecord ?? (phase === 'proof' ? 'proof_window' : 'trace_only');
}

const sectionPhases: Readonly<Record<Section, Phase | undefined>> = {
  preConditions: 'setup',
  setup: 'setup',
  startState: 'start_state',
  graph: undefined,
  teardown: 'teardown',
  flow: undefined,
};

function calledFlow({ fields: { ref } }: RecipeNode, flows: Flows): Flow | undefined {
  return typeof ref === 'string' ? flows.get(ref) : undefined;
}
