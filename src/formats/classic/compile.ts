// Classic Recipe v1, the language of the engine: checked for shape, catalogs inlined, positions kept.
import type { Finding, Place } from '../../document/finding.js';
import { joinPointer } from '../../document/pointer.js';
import { present } from '../../document/present.js';
import type { Compiled, Dialect, Flow, PreCondition, ProofTarget, Recipe, RecipeNode, Resolve } from '../../recipe/recipe.js';
import { type FlowJson, type NodeJson, type RecipeJson, recipeModel } from './model.js';
import { toNode, toNodes } from './node.js';
import { protoIssues } from './protoNodes.js';
import { readShape } from './shape.js';
import { shapeFindings } from './shapeFindings.js';
import { type CatalogFlow, useCatalogs } from './useCatalogs.js';

export const recipeV1: Dialect = {
  name: 'recipe-v1',
  detect: ({ value }) => typeof value === 'object' && value !== null && Object.hasOwn(value, 'validate'),
  compile(document, resolve) {
    const source = { origin: document.place, file: document.file };
    const { compiled, findings } = compileClassic(document.value, source, resolve);
    if (compiled && compiled.available.length === 0) compiled.isLiteral = !mayRefer(document.text);
    return compiled ? { compiled, findings } : { findings };
  },
};

/** Braces may also be written as escapes. */
function mayRefer(text: string): boolean {
  return text.includes('{{') || text.includes('\\u007');
}

/** Where the parts of a classic document were written. */
export type Source = { origin: Compiled['origin']; file: string };

export function compileClassic(
  value: unknown,
  { origin, file }: Source,
  resolve: Resolve,
): { compiled?: Compiled; findings: Finding[] } {
  const shape = readShape(recipeModel, value, protoIssues);
  const findings = shapeFindings(value, shape.issues, origin);
  if (!shape.value) return { findings };
  const json = shape.value;
  const used = useCatalogs({ json, origin, file }, resolve);
  findings.push(...used.findings);
  const reached = reachableFlows(json, used.flows);
  const recipe = toRecipe(json, reached);
  const available = [...Object.keys(json.flows ?? {}), ...used.flows.keys()];
  const compiled: Compiled = { kind: 'recipe', recipe, origin: originOf(origin, reached), findings, gone: shape.gone, available };
  return { compiled, findings };
}

/** The flows of catalogs that the recipe can come to: the others are none of its business. */
function reachableFlows(json: RecipeJson, external: ReadonlyMap<string, CatalogFlow>): Map<string, CatalogFlow> {
  const reached = new Map<string, CatalogFlow>();
  if (external.size === 0) return reached;
  const ids = new Set(refsIn([json.startState, json.validate.workflow, json.flows]));
  for (const id of ids) {
    const flow = external.get(id);
    if (!flow) continue;
    reached.set(id, flow);
    for (const ref of refsIn(flow.json)) ids.add(ref);
  }
  return reached;
}

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { ref } = value as { ref?: unknown };
  return [...(typeof ref === 'string' ? [ref] : []), ...Object.values(value).flatMap(refsIn)];
}

// Built without spreads, which cost more here than all the rest.
function toRecipe(json: RecipeJson, external: ReadonlyMap<string, CatalogFlow>): Recipe {
  const { workflow } = json.validate;
  const graph = '/validate/workflow';
  return {
    title: json.title,
    inputs: json.inputs ? new Map(Object.entries(json.inputs)) : new Map(),
    proofTargets: json.proofTargets ? toTargets(json.proofTargets) : none,
    preConditions: workflow.pre_conditions ? workflow.pre_conditions.map(toPreCondition) : none,
    setup: workflow.setup ? lifecycle('setup', workflow.setup, graph) : none,
    startState: json.startState && toNode('startState', json.startState, '/startState'),
    entry: workflow.entry,
    nodes: toNodes(workflow.nodes, `${graph}/nodes`),
    teardown: workflow.teardown ? lifecycle('teardown', workflow.teardown, graph) : none,
    flows: toFlows(json.flows, external),
    json: external.size === 0 ? json : inlined(json, external),
  };
}

// Shared, and targets pushed one by one: lists of another make, even empty ones, throw away what V8 compiled for those before.
const none: readonly never[] = [];

function toTargets(given: NonNullable<RecipeJson['proofTargets']>): ProofTarget[] {
  const targets: ProofTarget[] = [];
  for (const target of given) targets.push(toTarget(target));
  return targets;
}

function toTarget({ id, claim, blocked }: NonNullable<RecipeJson['proofTargets']>[number]): ProofTarget {
  return blocked === undefined ? { id, claim } : { id, claim, blocked };
}

type GateJson = NonNullable<RecipeJson['validate']['workflow']['pre_conditions']>[number];

function toPreCondition(json: GateJson, index: number): PreCondition {
  const { id, params = {}, required = true } = typeof json === 'string' ? { id: json } : json;
  return { id, params, required, pointer: joinPointer('/validate/workflow/pre_conditions', index) };
}

function lifecycle(name: 'setup' | 'teardown', nodes: readonly NodeJson[], graph: string): RecipeNode[] {
  return nodes.map(({ id = '', ...node }, index) => toNode(id || `${name}:${index}`, node, joinPointer(graph, name, index)));
}

function toFlows(inline: RecipeJson['flows'], external: ReadonlyMap<string, CatalogFlow>): Map<string, Flow> {
  const flows = new Map<string, Flow>();
  for (const [id, json] of inline ? Object.entries(inline) : []) flows.set(id, toFlow(id, json));
  for (const [id, { json, catalog }] of external) flows.set(id, { ...toFlow(id, json), catalog });
  return flows;
}

// A flow without a graph has been reported; with an empty one the rules go on.
export function toFlow(id: string, json: FlowJson): Flow {
  const { version, description, paramsSchema, outputsSchema, defaultPhase, defaultRecord, requiresActions, postcondition } = json;
  const pointer = joinPointer('/flows', id);
  const graphPointer = json.workflow ? joinPointer(pointer, 'workflow') : pointer;
  const { entry = '', nodes = {} } = json.workflow ?? json;
  return {
    ...(json.provenance?.recipe === undefined ? {} : { fromRecipe: true as const }),
    ...{ id, pointer, graphPointer, entry, nodes: toNodes(nodes, joinPointer(graphPointer, 'nodes')) },
    ...present({
      version,
      description,
      paramsSchema,
      outputsSchema,
      defaultPhase,
      defaultRecord,
      requiresActions,
      postcondition,
    }),
  };
}

function inlined(json: RecipeJson, external: ReadonlyMap<string, CatalogFlow>): unknown {
  const { uses: _, ...rest } = json;
  return { ...rest, flows: { ...json.flows, ...Object.fromEntries([...external].map(([id, flow]) => [id, flow.json])) } };
}

function originOf(own: Compiled['origin'], external: ReadonlyMap<string, CatalogFlow>): Compiled['origin'] {
  return (pointer, part): Place => {
    const id = /^\/flows\/([^/]*)/.exec(pointer)?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
    const flow = id === undefined ? undefined : external.get(id);
    return flow ? flow.document.place(pointer, part) : own(pointer, part);
  };
}
