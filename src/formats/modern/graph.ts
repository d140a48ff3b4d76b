// Reads and checks the two graphs of a modern recipe, main and teardown. Both are acyclic and share no nodes.
import { didYouMean } from '../../document/didYouMean.js';
import type { ModernNode, ModernRecipe } from './model.js';
import type { ReportProblem } from './problemReporter.js';

export type Graph = {
  entry: string;
  nodes: ReadonlyMap<string, ModernNode>;
  /** All nodes that are not part of the teardown. */
  main: ReadonlySet<string>;
  teardown?: { entry: string; ids: ReadonlySet<string> };
};

export function readGraph({ workflow }: ModernRecipe): Graph {
  const nodes = new Map(Object.entries(workflow.nodes));
  const { entry, teardown } = workflow;
  if (teardown === undefined) return { entry, nodes, main: new Set(nodes.keys()) };
  const ids = collectReachable(nodes, [teardown]);
  return { entry, nodes, main: new Set([...nodes.keys()].filter((id) => !ids.has(id))), teardown: { entry: teardown, ids } };
}

/** Whether the recipe has a teardown with work to do. A teardown that is only an end with "pass" does not count. */
export function hasTeardown({ nodes, teardown }: Graph): boolean {
  const first = teardown && nodes.get(teardown.entry);
  return first !== undefined && !(first.action === 'end' && first.status === 'pass');
}

function listTargets(node: ModernNode): [field: string[], target: string][] {
  const targets: [string[], string][] = Object.entries(node.cases ?? {}).map(([name, target]) => [['cases', name], target]);
  if (node.next !== undefined) targets.push([['next'], node.next]);
  if (node.default !== undefined) targets.push([['default'], node.default]);
  return targets;
}

/** Chooses ids for the two calls of the wrapper flow. No node of the recipe has these ids. */
export function choosePartIds({ nodes }: Graph): { main: string; teardown: string } {
  const findUnusedId = (name: string): string => (nodes.has(name) ? findUnusedId(`${name}_`) : name);
  return { main: findUnusedId('main'), teardown: findUnusedId('teardown') };
}

/** Whether the node `id` runs before the node `later` on at least one path. */
export function canRunBefore(graph: Graph, id: string, later: string): boolean {
  if (graph.teardown?.ids.has(later) && graph.main.has(id)) return true;
  const reached = new Set([id]);
  for (const current of reached) {
    for (const [, target] of listTargets(graph.nodes.get(current) ?? { action: '' })) {
      if (target === later) return true;
      reached.add(target);
    }
  }
  return false;
}

export function checkGraph(graph: Graph, report: ReportProblem): void {
  const known = [...graph.nodes.keys()];
  for (const id of known) checkTransitions(graph, id, report);
  for (const [field, code] of [
    ['entry', 'workflow.missing_entry_node'],
    ['teardown', 'workflow.missing_teardown_node'],
  ] as const) {
    const start = field === 'entry' ? graph.entry : graph.teardown?.entry;
    if (start === undefined) continue;
    if (graph.nodes.has(start)) {
      checkReachability(graph, start, report);
      continue;
    }
    const message = `"${field}" is ${JSON.stringify(start)}, but there is no such node.`;
    report({ code, at: ['workflow', field], message, hint: didYouMean(start, known) });
  }
  for (const id of collectReachable(graph.nodes, [graph.entry])) {
    if (!graph.teardown?.ids.has(id)) continue;
    const message = `Node ${JSON.stringify(id)} is part of the main graph and of the teardown, so it would run twice.`;
    const hint = 'Give the teardown nodes of its own, including its "end".';
    report({ code: 'workflow.overlapping_teardown', at: ['workflow', 'nodes', id], message, hint });
  }
}

function checkTransitions({ nodes }: Graph, id: string, report: ReportProblem): void {
  const node = nodes.get(id) ?? { action: '' };
  const at = ['workflow', 'nodes', id];
  for (const [field, target] of listTargets(node)) {
    if (nodes.has(target)) continue;
    const message = `Node ${JSON.stringify(id)} leads to ${JSON.stringify(target)}, which does not exist.`;
    report({ code: 'workflow.missing_target', at: [...at, ...field], message, hint: didYouMean(target, [...nodes.keys()]) });
  }
  if (node.action === 'end') return;
  const transitions = ['next', 'cases', 'default'].filter((field) => Object.hasOwn(node, field));
  if (transitions.length === 0) {
    const message = `Node ${JSON.stringify(id)} has no "next".`;
    report({ code: 'workflow.missing_transition', at, message, hint: 'Add "next" with the id of the next node.' });
  } else if (transitions.join() !== 'next' && transitions.join() !== 'cases,default') {
    const message = `Node ${JSON.stringify(id)} has ${transitions.map((name) => `"${name}"`).join(' and ')}.`;
    const hint = 'Use either "next", or "cases" together with "default".';
    report({ code: 'workflow.invalid_transition_shape', at, message, hint });
  }
}

// Not recursive: a long chain of nodes would overflow the stack.
function checkReachability({ nodes, entry }: Graph, start: string, report: ReportProblem): void {
  const path: { id: string; targetsLeft: [string[], string][] }[] = [];
  const visited = new Set<string>();
  const enter = (id: string): void => {
    visited.add(id);
    path.push({ id, targetsLeft: listTargets(nodes.get(id) ?? { action: '' }) });
  };
  enter(start);
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const [field, target] = top.targetsLeft.shift() ?? [];
    if (field === undefined || target === undefined) path.pop();
    else if (!visited.has(target)) enter(target);
    else reportCycle({ path: path.map(({ id }) => id), target, at: ['workflow', 'nodes', top.id, ...field] }, report);
  }
  if ([...visited].some((id) => nodes.get(id)?.action === 'end')) return;
  const at = start === entry ? ['workflow', 'nodes'] : ['workflow', 'teardown'];
  const message = `No end node can be reached from ${JSON.stringify(start)}.`;
  report({ code: 'workflow.no_reachable_terminal', at, message, hint: 'Let the last node lead to one with "action": "end".' });
}

function reportCycle({ path, target, at }: { path: string[]; target: string; at: string[] }, report: ReportProblem): void {
  const start = path.indexOf(target);
  if (start === -1) return;
  const message = `The graph has a cycle: ${[...path.slice(start), target].join(' → ')}.`;
  const hint = 'A modern recipe cannot have loops. Use an action that waits or repeats, or write a classic recipe.';
  report({ code: 'workflow.cycle', at, message, hint });
}

function collectReachable(nodes: ReadonlyMap<string, ModernNode>, starts: readonly string[]): Set<string> {
  const reached = new Set(starts.filter((id) => nodes.has(id)));
  for (const id of reached) {
    for (const [, target] of listTargets(nodes.get(id) ?? { action: '' })) if (nodes.has(target)) reached.add(target);
  }
  return reached;
}
