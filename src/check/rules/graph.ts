// Entry, transitions, terminals and reachability of every graph (spec §5.2).

import { didYouMean } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import type { Checked, Rule } from '../rules.js';
import { reachableFrom, targetsOf } from '../transitions.js';
import { checkTransitions } from './transitions.js';

export const graphRules: Rule = (checked) => {
  const { recipe, kind, gone } = checked.compiled;
  const { entry, nodes } = recipe;
  if (kind === 'recipe') checkGraph(checked, { entry, nodes, area: 'workflow', pointer: '/validate/workflow' });
  for (const flow of recipe.flows.values()) {
    if (gone.includes(`${flow.graphPointer}/nodes`)) continue;
    if (flow.nodes.size === 0 && flow.entry === '') reportNoGraph(checked, flow.pointer);
    else checkGraph(checked, { ...flow, area: 'flow', pointer: flow.graphPointer });
  }
  checkLifecycle(checked);
  checkEdges(checked);
};

export type Graph = { area: 'workflow' | 'flow'; pointer: string; entry: string; nodes: ReadonlyMap<string, RecipeNode> };

function reportNoGraph({ report }: Checked, path: string): void {
  const hint = 'Add "workflow": { "entry": …, "nodes": { … } }.';
  report({ code: 'flow.invalid_flow', path, message: 'The flow has no graph.', hint });
}

function checkGraph(checked: Checked, graph: Graph): void {
  const { area, pointer, entry, nodes } = graph;
  const ends = new Set<string>();
  for (const node of nodes.values()) if (checkTransitions(checked, graph, node) === 'end') ends.add(node.id);
  if (ends.size === 0) {
    const hint = 'Add a node { "action": "end", "status": "pass" } and lead to it.';
    checked.report({ code: `${area}.missing_terminal`, path: `${pointer}/nodes`, message: 'The graph has no end node.', hint });
  }
  if (nodes.has(entry)) {
    checkReach(checked, graph, ends);
    return;
  }
  const message = `The entry ${JSON.stringify(entry)} is no node.`;
  const hint = (): string => didYouMean(entry, [...nodes.keys()]);
  checked.report({ code: `${area}.missing_entry_node`, path: `${pointer}/entry`, message, hint });
}

function checkReach(checked: Checked, { area, pointer, entry, nodes }: Graph, ends: ReadonlySet<string>): void {
  const reached = reachableFrom(entry, nodes, checked.memo);
  if (ends.size > 0 && !meets(ends, reached)) {
    const message = 'No end node can be reached from the entry.';
    checked.report({ code: `${area}.no_reachable_terminal`, path: `${pointer}/nodes`, message });
  }
  for (const node of nodes.values()) {
    if (reached.has(node.id)) continue;
    const message = `Nothing leads to node ${JSON.stringify(node.id)}.`;
    checked.report({ code: `${area}.unreachable_node`, severity: 'warning', path: node.pointer, message });
  }
}

function meets(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const one of some) if (others.has(one)) return true;
  return false;
}

function checkLifecycle({ compiled: { recipe }, declared, report }: Checked): void {
  if (!recipe.startState && recipe.setup.length === 0 && recipe.teardown.length === 0) return;
  const listed = recipe.startState
    ? [...recipe.setup, recipe.startState, ...recipe.teardown]
    : [...recipe.setup, ...recipe.teardown];
  for (const node of listed) {
    const [target] = targetsOf(node);
    if (target) {
      const message = 'A setup, start or teardown node goes nowhere: the order of the list is the order of the run.';
      report({ code: 'workflow.lifecycle_has_transition', path: joinPointer(node.pointer, ...target[0]), message });
    } else if (declared(node)?.leads) {
      const message = `${node.action} belongs into a graph: a setup, start or teardown node does one thing.`;
      report({ code: 'workflow.invalid_lifecycle_node', path: joinPointer(node.pointer, 'action'), message });
    }
  }
}

function checkEdges({ nodes, traits, report }: Checked): void {
  if (!traits.inside) return;
  for (const { node } of nodes) {
    const { body } = node;
    if (!body) continue;
    for (const [index, edge] of body.edges.entries()) {
      for (const end of ['from', 'to'] as const) {
        if (body.nodes.has(edge[end])) continue;
        const message = `The edge names ${JSON.stringify(edge[end])}, which is no node of this body.`;
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
