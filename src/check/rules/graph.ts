// Checks that every graph has an entry, valid transitions and a reachable end (spec §5.2).

import { didYouMean } from '../../document/didYouMean.js';
import { joinPointer } from '../../document/jsonPointer.js';
import type { Next } from '../../engine/plan.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { officialFacts } from '../actionFacts.js';
import { hasMissingTarget, reachableFrom, targetIds, targetsOf } from '../reachability.js';
import type { Rule, RuleContext } from '../ruleContext.js';

export const graphRules: Rule = (context) => {
  const { recipe, kind, removedPointers } = context.compiled;
  const { entry, nodes } = recipe;
  if (kind === 'recipe') checkGraph(context, { entry, nodes, area: 'workflow', pointer: '/validate/workflow' });
  for (const flow of recipe.flows.values()) {
    if (removedPointers.includes(`${flow.graphPointer}/nodes`)) continue;
    if (flow.nodes.size === 0 && flow.entry === '') reportNoGraph(context, flow.pointer);
    else checkGraph(context, { ...flow, area: 'flow', pointer: flow.graphPointer });
  }
  checkLifecycle(context);
  checkEdges(context);
};

type Graph = { area: 'workflow' | 'flow'; pointer: string; entry: string; nodes: ReadonlyMap<string, RecipeNode> };

function reportNoGraph({ report }: RuleContext, path: string): void {
  const hint = 'Add "workflow": { "entry": …, "nodes": { … } }.';
  report({ code: 'flow.invalid_flow', path, message: 'The flow has no graph.', hint });
}

function checkGraph(context: RuleContext, graph: Graph): void {
  const { area, pointer, entry, nodes } = graph;
  const ends = new Set<string>();
  for (const node of nodes.values()) if (checkTransitions(context, graph, node) === 'end') ends.add(node.id);
  if (ends.size === 0) {
    const hint = 'Add a node { "action": "end", "status": "pass" } and a "next" that leads to it.';
    context.report({ code: `${area}.missing_terminal`, path: `${pointer}/nodes`, message: 'The graph has no end node.', hint });
  }
  if (nodes.has(entry)) {
    checkReach(context, graph, ends);
    return;
  }
  const message = `There is no node ${JSON.stringify(entry)}, which "entry" names.`;
  const hint = (): string => didYouMean(entry, [...nodes.keys()]);
  context.report({ code: `${area}.missing_entry_node`, path: `${pointer}/entry`, message, hint });
}

function checkReach(context: RuleContext, { area, pointer, entry, nodes }: Graph, ends: ReadonlySet<string>): void {
  const reached = reachableFrom(entry, nodes, context.reachability);
  if (ends.size > 0 && !intersects(ends, reached)) {
    const message = 'No end node can be reached from the entry.';
    context.report({ code: `${area}.no_reachable_terminal`, path: `${pointer}/nodes`, message });
  }
  for (const node of nodes.values()) {
    if (reached.has(node.id)) continue;
    const message = `No path leads to the node ${JSON.stringify(node.id)}.`;
    context.report({ code: `${area}.unreachable_node`, severity: 'warning', path: node.pointer, message });
  }
}

function intersects(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const item of a) if (b.has(item)) return true;
  return false;
}

function checkLifecycle({ compiled: { recipe }, declarationOf, report }: RuleContext): void {
  if (!recipe.startState && recipe.setup.length === 0 && recipe.teardown.length === 0) return;
  const listed = recipe.startState
    ? [...recipe.setup, recipe.startState, ...recipe.teardown]
    : [...recipe.setup, ...recipe.teardown];
  for (const node of listed) {
    const [target] = targetsOf(node);
    if (target) {
      const message = 'A setup, startState or teardown node has no transitions: these nodes run in the order of their list.';
      report({ code: 'workflow.lifecycle_has_transition', path: joinPointer(node.pointer, ...target[0]), message });
    } else if (declarationOf(node)?.planNext) {
      const message = `${node.action} is only possible in a graph, not as a setup, startState or teardown node.`;
      report({ code: 'workflow.invalid_lifecycle_node', path: joinPointer(node.pointer, 'action'), message });
    }
  }
}

function checkEdges({ nodes, traits, report }: RuleContext): void {
  if (!traits.hasInnerNodes) return;
  for (const { node } of nodes) {
    const { body } = node;
    if (!body) continue;
    for (const [index, edge] of body.edges.entries()) {
      for (const end of ['from', 'to'] as const) {
        if (body.nodes.has(edge[end])) continue;
        const message = `The edge names ${JSON.stringify(edge[end])}, but this body has no such node.`;
        const path = joinPointer(node.pointer, 'body', 'edges', index, end);
        report({
          code: 'workflow.missing_target',
          path,
          message,
          hint: () => didYouMean(edge[end], [...body.nodes.keys()]),
        });
      }
    }
  }
}

/** Checks that the node has the transitions that its action uses: `next`, cases, or none. Returns their kind (spec §5.2). */
function checkTransitions(context: RuleContext, graph: Graph, node: RecipeNode): Next['kind'] | undefined {
  const { area, nodes } = graph;
  if (hasMissingTarget(node, nodes)) reportMissing(context, graph, node);
  // An official action has its facts even when the host does not declare it.
  const facts = context.factsOf(node.action) ?? officialFacts(node.action);
  const kind = facts?.decidesNext ? facts.action.planNext?.(node).kind : undefined;
  const problem = facts && transitionProblem(node, kind);
  if (!problem) return kind;
  const { at, code, message, ...rest } = problem;
  const sentence = `Node ${JSON.stringify(node.id)} ${message}`;
  context.report({ ...rest, message: sentence, code: `${area}.${code}`, path: joinPointer(node.pointer, ...at) });
  return kind;
}

function reportMissing({ report }: RuleContext, { area, nodes }: Graph, node: RecipeNode): void {
  for (const [field, target] of targetsOf(node)) {
    if (nodes.has(target)) continue;
    const message = `Node ${JSON.stringify(node.id)} goes to ${JSON.stringify(target)}, which does not exist.`;
    const path = joinPointer(node.pointer, ...field);
    report({ code: `${area}.missing_target`, path, message, hint: () => didYouMean(target, [...nodes.keys()]) });
  }
}

type Problem = { code: string; at: string[]; message: string; hint?: string; severity?: 'warning' };

function transitionProblem(node: RecipeNode, kind: Next['kind'] | undefined): Problem | undefined {
  if (kind === 'end') return endProblem(node);
  if (kind === 'cases') return switchProblem(node);
  const branches = node.cases ? 'cases' : node.fallback === undefined ? undefined : 'default';
  if (branches && node.routes === undefined) {
    return { code: 'unused_transition', at: [branches], message: `needs "next": only a switch has "${branches}".` };
  }
  if (node.next !== undefined || node.routes !== undefined) return undefined;
  const hint = 'Add "next" with the id of the following node.';
  return { code: 'missing_transition', at: [], message: 'has no "next".', hint };
}

function endProblem(node: RecipeNode): Problem | undefined {
  if (targetIds(node).length === 0) return undefined;
  const [first] = targetsOf(node);
  const message = 'ends the graph, so its transitions have no effect.';
  return first && { code: 'terminal_has_targets', severity: 'warning', at: [String(first[0][0])], message };
}

function switchProblem({ next, cases = [] }: RecipeNode): Problem | undefined {
  if (next !== undefined) {
    const message = 'is a switch, so "next" has no effect.';
    return { code: 'unused_transition', at: ['next'], message, hint: 'Rename "next" to "default".' };
  }
  if (cases.length > 0) return undefined;
  const hint = 'Add "cases": [{ "when": …, "next": … }].';
  return { code: 'invalid_cases', at: [], message: 'has no cases.', hint };
}
