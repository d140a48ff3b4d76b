// The documents of a package beside the recipe that ran: the normalized workflow, and the author's document if it differs from the recipe.
import { extname } from 'node:path';
import type { LoadedRecipe } from '../check/loadRecipe.js';
import type { Finding } from '../document/finding.js';
import { deepEqual } from '../engine/operators.js';
import { type PlanNode, type Region, reachableNodes } from '../engine/plan.js';
import type { Content } from '../evidence/packageSink.js';
import { type LazyMembers, writeJson } from '../evidence/writeJson.js';
import type { Registry } from '../registry/registry.js';

export function collectDocuments({ document, compiled, plan }: LoadedRecipe): Map<string, Content> {
  const workflow: Content = (write) => writeJson(workflowOf(plan.main, plan.teardown), write, 3);
  const documents = new Map<string, Content>([['workflow.json', workflow]]);
  if (!deepEqual(document.value, compiled.recipe.json))
    documents.set(`source${extname(document.file) || '.json'}`, document.text);
  return documents;
}

type Flows = Map<string, object>;

/** Describes every node with its transitions, including the life cycle. Each flow appears once, and bodies appear inside their nodes. */
function workflowOf(main: Region, teardown: Region | undefined): object {
  const flows: Flows = new Map();
  return {
    version: 1,
    main: rootOf(main, flows),
    teardown: teardown && rootOf(teardown, flows),
    // A getter, because the flows are collected while the nodes above are written.
    get flows() {
      return flows.size > 0 ? flows : undefined;
    },
  };
}

// Writes the nodes of a walk one by one, because a recipe may have many.
function rootOf(region: Region, flows: Flows): object {
  if (region.kind !== 'walk') return regionOf(region, flows);
  return { kind: region.kind, entry: region.entry, nodes: eachNode(region.nodes, flows) };
}

function* eachNode(nodes: ReadonlyMap<string, PlanNode>, flows: Flows): LazyMembers & Generator {
  for (const [id, node] of nodes) yield [id, nodeOf(node, flows)];
}

function regionOf(region: Region, flows: Flows): object {
  if (region.kind === 'each')
    return { kind: region.kind, limit: finiteOrUndefined(region.limit), child: nodeOf(region.child, flows) };
  const nodes = Object.fromEntries([...region.nodes].map(([id, node]) => [id, nodeOf(node, flows)]));
  if (region.kind === 'walk') return { kind: region.kind, entry: region.entry, nodes };
  if (region.kind === 'all')
    return { kind: region.kind, in_turn: region.inTurn, pipe: region.pipe, limit: finiteOrUndefined(region.limit), nodes };
  return { kind: region.kind, nodes, edges: [...region.out.values()].flat() };
}

function nodeOf({ recipe, next, body }: PlanNode, flows: Flows): object {
  const { action, intent, proofTarget, fields } = recipe;
  const described = { action, intent, proofTarget, ...transitionsOf(next) };
  if (!body) return described;
  const { ref } = fields;
  if (typeof ref !== 'string') return { ...described, body: regionOf(body, flows) };
  if (!flows.has(ref)) {
    flows.set(ref, {});
    flows.set(ref, regionOf(body, flows));
  }
  return { ...described, ref };
}

function transitionsOf(next: PlanNode['next']): object {
  if (next.kind === 'to') return { next: next.id };
  if (next.kind === 'cases') return { cases: Object.fromEntries(next.cases) };
  return next.kind === 'end' ? { status: next.status } : {};
}

function finiteOrUndefined(limit: number): number | undefined {
  return Number.isFinite(limit) ? limit : undefined;
}

/** Collects the documents that the actions add to the package of a refused run, by their names in the package. */
export function collectRefusalDocuments(
  { plan }: LoadedRecipe,
  registry: Registry,
  [reason]: readonly Finding[],
): Map<string, string> {
  const nodes = reason ? [...reachableNodes(plan.main)] : [];
  const entries = nodes.flatMap(({ node: { recipe } }) => [
    ...(registry.get(recipe.action)?.documentRefusal?.(recipe, reason as Finding) ?? []),
  ]);
  return new Map(entries);
}
