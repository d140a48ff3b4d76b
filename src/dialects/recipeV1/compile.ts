// Classic Recipe v1, the language of the engine: checked for shape, catalogs inlined, positions kept.
import type { Place } from '../../document/finding.js';
import { joinPointer } from '../../document/pointer.js';
import type { Document } from '../../document/readDocument.js';
import type { Compiled, Dialect, Flow, Recipe, RecipeNode } from '../recipe.js';
import { type FlowJson, type NodeJson, type RecipeJson, recipeModel } from './model.js';
import { toNode, toNodes } from './node.js';
import { shapeFindings } from './shapeFindings.js';
import { type CatalogFlow, useCatalogs } from './useCatalogs.js';

export const recipeV1: Dialect = {
  name: 'recipe-v1',
  detect: ({ value }) => typeof value === 'object' && value !== null && 'validate' in value,
  compile(document, resolve) {
    const parsed = recipeModel.safeParse(document.value);
    if (!parsed.success) return { findings: shapeFindings(document, parsed.error) };
    const json = document.value as RecipeJson;
    const { flows: external, findings } = useCatalogs(document, json.uses ?? [], resolve);
    return { compiled: { recipe: toRecipe(json, external), origin: originOf(document, external), findings }, findings };
  },
};

function toRecipe(json: RecipeJson, external: ReadonlyMap<string, CatalogFlow>): Recipe {
  const { workflow } = json.validate;
  const graph = '/validate/workflow';
  const startState = json.startState ? { startState: toNode('startState', json.startState, '/startState') } : {};
  return {
    ...(json.title === undefined ? {} : { title: json.title }),
    inputs: new Map(Object.entries(json.inputs ?? {})),
    proofTargets: (json.proofTargets ?? []).map(({ id, claim, blocked }) => ({ id, claim, ...(blocked ? { blocked } : {}) })),
    setup: lifecycle('setup', workflow.setup ?? [], graph),
    ...startState,
    entry: workflow.entry,
    nodes: toNodes(workflow.nodes, `${graph}/nodes`),
    teardown: lifecycle('teardown', workflow.teardown ?? [], graph),
    flows: toFlows({ ...json.flows, ...Object.fromEntries([...external].map(([id, flow]) => [id, flow.json])) }),
    json: external.size === 0 ? json : inlined(json, external),
  };
}

function lifecycle(name: 'setup' | 'teardown', nodes: readonly NodeJson[], graph: string): RecipeNode[] {
  return nodes.map((node, index) => {
    const { id = `${name}:${index}`, ...rest } = node;
    return toNode(String(id), rest, joinPointer(graph, name, index));
  });
}

function toFlows(flows: Record<string, FlowJson>): Map<string, Flow> {
  const entries = Object.entries(flows).map(([id, { workflow, postcondition }]): [string, Flow] => {
    const nodes = toNodes(workflow.nodes, joinPointer('/flows', id, 'workflow', 'nodes'));
    return [id, { id, entry: workflow.entry, nodes, ...(postcondition ? { postcondition } : {}) }];
  });
  return new Map(entries);
}

function inlined(json: RecipeJson, external: ReadonlyMap<string, CatalogFlow>): unknown {
  const { uses: _, ...rest } = json;
  return { ...rest, flows: { ...json.flows, ...Object.fromEntries([...external].map(([id, flow]) => [id, flow.json])) } };
}

function originOf(document: Document, external: ReadonlyMap<string, CatalogFlow>): Compiled['origin'] {
  return (pointer): Place => {
    const id = /^\/flows\/([^/]*)/.exec(pointer)?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
    const flow = id === undefined ? undefined : external.get(id);
    return (flow?.document ?? document).place(pointer);
  };
}
