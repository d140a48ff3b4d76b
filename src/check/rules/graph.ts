// Entry, transitions, terminals and reachability of every graph (spec §5.2).
import type { Action } from '../../actions/action.js';
import type { RecipeNode } from '../../dialects/recipe.js';
import { didYouMean } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import type { Next } from '../../graph/plan.js';
import type { Checked, Rule } from '../rules.js';

export const graphRules: Rule = (checked) => {
  const { recipe } = checked.compiled;
  checkGraph(checked, 'workflow', '/validate/workflow', recipe);
  for (const flow of recipe.flows.values()) checkGraph(checked, 'flow', joinPointer('/flows', flow.id, 'workflow'), flow);
  checkLifecycle(checked);
  checkEdges(checked);
};

type Graph = { entry: string; nodes: ReadonlyMap<string, RecipeNode> };

function checkGraph(checked: Checked, area: 'workflow' | 'flow', pointer: string, { entry, nodes }: Graph): void {
  const { report, registry } = checked;
  const known = [...nodes.keys()];
  if (!nodes.has(entry)) {
    report({
      code: `${area}.missing_entry_node`,
      path: `${pointer}/entry`,
      message: `The entry ${JSON.stringify(entry)} is no node.`,
      hint: didYouMean(entry, known),
    });
    return;
  }
  for (const node of nodes.values()) {
    const action = registry.get(node.action);
    for (const [field, target] of targetsOf(node)) {
      if (nodes.has(target)) continue;
      const message = `Node ${JSON.stringify(node.id)} goes to ${JSON.stringify(target)}, which does not exist.`;
      report({
        code: `${area}.missing_target`,
        path: joinPointer(node.pointer, ...field),
        message,
        hint: didYouMean(target, known),
      });
    }
    if (action && leadsNowhere(node, action)) {
      const message = `Node ${JSON.stringify(node.id)} does not say where to go on.`;
      report({
        code: `${area}.missing_transition`,
        path: node.pointer,
        message,
        hint: 'Add "next" with the id of the node that follows.',
      });
    }
  }
  checkReach(checked, area, pointer, { entry, nodes });
}

function checkReach({ report, registry }: Checked, area: 'workflow' | 'flow', pointer: string, { entry, nodes }: Graph): void {
  const reached = new Set([entry]);
  for (const id of reached) {
    const node = nodes.get(id);
    if (node) for (const [, target] of targetsOf(node)) reached.add(target);
  }
  const ends = (id: string): boolean => isEnd(nodes.get(id), registry.get(nodes.get(id)?.action ?? ''));
  if (![...reached].some(ends)) {
    report({
      code: `${area}.no_reachable_terminal`,
      path: `${pointer}/nodes`,
      message: 'No end node can be reached from the entry.',
    });
  }
  for (const node of nodes.values()) {
    if (reached.has(node.id)) continue;
    report({
      code: `${area}.unreachable_node`,
      severity: 'warning',
      path: node.pointer,
      message: `Nothing leads to node ${JSON.stringify(node.id)}.`,
    });
  }
}

function checkLifecycle({ compiled: { recipe }, report }: Checked): void {
  for (const node of [...recipe.setup, ...recipe.teardown]) {
    if (node.next === undefined) continue;
    const message = `A setup or teardown node must not declare next: the order of the list is the order of the run.`;
    report({ code: 'workflow.lifecycle_has_transition', path: joinPointer(node.pointer, 'next'), message });
  }
  const ids = [...recipe.setup, ...(recipe.startState ? [recipe.startState] : []), ...recipe.teardown].map((node) => node.id);
  for (const id of ids.filter((id, index) => recipe.nodes.has(id) || ids.indexOf(id) !== index)) {
    report({ code: 'workflow.duplicate_id', path: '/validate/workflow', message: `The id ${JSON.stringify(id)} is used twice.` });
  }
}

function checkEdges({ nodes, report }: Checked): void {
  for (const { node } of nodes) {
    const known = [...(node.body?.nodes.keys() ?? [])];
    for (const [index, edge] of (node.body?.edges ?? []).entries()) {
      for (const end of ['from', 'to'] as const) {
        if (known.includes(edge[end])) continue;
        const message = `The edge names ${JSON.stringify(edge[end])}, which is no node of this body.`;
        report({
          code: 'workflow.missing_target',
          path: joinPointer(node.pointer, 'body', 'edges', index, end),
          message,
          hint: didYouMean(edge[end], known),
        });
      }
    }
  }
}

function targetsOf(node: RecipeNode): [field: (string | number)[], target: string][] {
  const targets: [(string | number)[], string][] = (node.cases ?? []).map(({ next }, index) => [['cases', index, 'next'], next]);
  if (node.next !== undefined) targets.push([['next'], node.next]);
  if (node.fallback !== undefined) targets.push([['default'], node.fallback]);
  return targets;
}

function leadsNowhere(node: RecipeNode, action: Action): boolean {
  const next: Next | undefined = action.leads?.(node);
  if (!next) return node.next === undefined;
  return next.kind === 'cases' && next.cases.size === 0;
}

function isEnd(node: RecipeNode | undefined, action: Action | undefined): boolean {
  return node !== undefined && action?.leads?.(node).kind === 'end';
}
