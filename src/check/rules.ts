// The rules a recipe is held to before anything runs.
import type { Registry } from '../actions/registry.js';
import type { Compiled, RecipeNode } from '../dialects/recipe.js';
import type { Finding } from '../document/finding.js';
import { actionRules } from './rules/actions.js';
import { assertionRules } from './rules/assertions.js';
import { graphRules } from './rules/graph.js';
import { intentRules } from './rules/intents.js';
import { proofRules } from './rules/proof.js';
import { referenceRules } from './rules/references.js';

export type Checked = {
  compiled: Compiled;
  registry: Registry;
  /** Every node, with the graph it stands in. */
  nodes: readonly NodeInGraph[];
  report: Report;
};

export type NodeInGraph = { node: RecipeNode; graph: 'workflow' | 'lifecycle' | 'flow' | 'body'; flow?: string };

export type Report = (finding: Omit<Finding, 'place' | 'severity'> & { severity?: Finding['severity'] }) => void;

export type Rule = (checked: Checked) => void;

const rules: readonly Rule[] = [graphRules, actionRules, intentRules, assertionRules, proofRules, referenceRules];

export function checkRecipe(compiled: Compiled, registry: Registry): Finding[] {
  const findings: Finding[] = [];
  const report: Report = (finding) => findings.push({ severity: 'error', ...finding, place: compiled.origin(finding.path) });
  const checked = { compiled, registry, nodes: [...nodesOf(compiled)], report };
  for (const rule of rules) rule(checked);
  return findings;
}

function* nodesOf({ recipe }: Compiled): Generator<NodeInGraph> {
  for (const node of recipe.nodes.values()) yield* withBody({ node, graph: 'workflow' });
  const first = recipe.startState ? [recipe.startState] : [];
  for (const node of [...recipe.setup, ...first, ...recipe.teardown]) yield* withBody({ node, graph: 'lifecycle' });
  for (const flow of recipe.flows.values()) {
    for (const node of flow.nodes.values()) yield* withBody({ node, graph: 'flow', flow: flow.id });
  }
}

function* withBody(at: NodeInGraph): Generator<NodeInGraph> {
  yield at;
  const inside = at.flow === undefined ? { graph: 'body' as const } : { graph: 'body' as const, flow: at.flow };
  if (at.node.retry?.recover) yield* withBody({ node: at.node.retry.recover, ...inside });
  for (const node of at.node.body?.nodes.values() ?? []) yield* withBody({ node, ...inside });
}
