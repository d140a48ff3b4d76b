// Every node says where to go on, in the one way its action knows (spec §5.2).

import { didYouMean } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import type { Next } from '../../engine/plan.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { officialFacts } from '../facts.js';
import type { Checked } from '../rules.js';
import { idsAfter, leadsAstray, targetsOf } from '../transitions.js';
import type { Graph } from './graph.js';

/** Gives the way its action goes on. */
export function checkTransitions(checked: Checked, graph: Graph, node: RecipeNode): Next['kind'] | undefined {
  const { area, nodes } = graph;
  if (leadsAstray(node, nodes)) reportMissing(checked, graph, node);
  // An official action that is not declared is still known for what it is.
  const facts = checked.factsOf(node.action) ?? officialFacts(node.action);
  const kind = facts?.leads ? facts.action.leads?.(node).kind : undefined;
  const said = facts && problemWith(node, kind);
  if (!said) return kind;
  const { at, code, message, ...rest } = said;
  const named = `Node ${JSON.stringify(node.id)} ${message}`;
  checked.report({ ...rest, message: named, code: `${area}.${code}`, path: joinPointer(node.pointer, ...at) });
  return kind;
}

function reportMissing({ report }: Checked, { area, nodes }: Graph, node: RecipeNode): void {
  for (const [field, target] of targetsOf(node)) {
    if (nodes.has(target)) continue;
    const message = `Node ${JSON.stringify(node.id)} goes to ${JSON.stringify(target)}, which does not exist.`;
    const path = joinPointer(node.pointer, ...field);
    report({ code: `${area}.missing_target`, path, message, hint: () => didYouMean(target, [...nodes.keys()]) });
  }
}

type Problem = { code: string; at: string[]; message: string; hint?: string; severity?: 'warning' };

function problemWith(node: RecipeNode, kind: Next['kind'] | undefined): Problem | undefined {
  if (kind === 'end') return endProblem(node);
  if (kind === 'cases') return switchProblem(node);
  const branches = node.cases ? 'cases' : node.fallback === undefined ? undefined : 'default';
  if (branches && node.routes === undefined) {
    return { code: 'unused_transition', at: [branches], message: `goes on by "next": only a switch has "${branches}".` };
  }
  if (node.next !== undefined || node.routes !== undefined) return undefined;
  const hint = 'Add "next" with the id of the node that follows.';
  return { code: 'missing_transition', at: [], message: 'does not say where to go on.', hint };
}

function endProblem(node: RecipeNode): Problem | undefined {
  if (idsAfter(node).length === 0) return undefined;
  const [first] = targetsOf(node);
  const message = 'ends the graph, so it goes nowhere.';
  return first && { code: 'terminal_has_targets', severity: 'warning', at: [String(first[0][0])], message };
}

function switchProblem({ next, cases = [] }: RecipeNode): Problem | undefined {
  if (next !== undefined) {
    const message = 'goes on by its cases, never by "next".';
    return { code: 'unused_transition', at: ['next'], message, hint: 'Write it as "default".' };
  }
  if (cases.length > 0) return undefined;
  const hint = 'Add "cases": [{ "when": …, "next": … }].';
  return { code: 'invalid_cases', at: [], message: 'has no cases to choose from.', hint };
}
