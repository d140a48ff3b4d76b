// Compiles a classic Recipe v1 document: checks its shape, inlines the flows of its catalogs, and records where each part was
// written.

import type { Finding, Place } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import type { Document } from '../../document/readDocument.js';
import type {
  Body,
  CompiledRecipe,
  Dialect,
  Flow,
  PreCondition,
  ProofTarget,
  Recipe,
  RecipeNode,
  ResolveDocument,
  Section,
} from '../../recipe/recipe.js';
import { type BodyJson, catalogModel, type FlowJson, type NodeJson, nodeModel, type RecipeJson, recipeModel } from './model.js';
import { protoIssues, readShape } from './readShape.js';
import { shapeFindings } from './shapeFindings.js';

export const recipeV1: Dialect = {
  name: 'recipe-v1',
  detect: ({ value }) => typeof value === 'object' && value !== null && Object.hasOwn(value, 'validate'),
  compile(document, resolve) {
    const source = { origin: document.place, file: document.file };
    const { compiled, findings } = compileClassic(document.value, source, resolve);
    if (compiled && compiled.availableFlows.length === 0) compiled.isLiteral = !mayHaveReferences(document.text);
    return compiled ? { compiled, findings } : { findings };
  },
};

/** JSON allows the escape \u007b for a brace. */
function mayHaveReferences(text: string): boolean {
  return text.includes('{{') || text.includes('\\u007');
}

/** Where the parts of a classic document were written, and the file that its catalogs are relative to. */
export type Source = { origin: CompiledRecipe['origin']; file: string };

export function compileClassic(
  value: unknown,
  { origin, file }: Source,
  resolve: ResolveDocument,
): { compiled?: CompiledRecipe; findings: Finding[] } {
  const shape = readShape(recipeModel, value, protoIssues);
  const findings = shapeFindings(value, shape.issues, origin);
  if (!shape.value) return { findings };
  const json = shape.value;
  const catalogs = readCatalogs({ json, origin, file }, resolve);
  findings.push(...catalogs.findings);
  const inlinedFlows = reachableFlows(json, catalogs.flows);
  const recipe = toRecipe(json, inlinedFlows);
  const availableFlows = [...Object.keys(json.flows ?? {}), ...catalogs.flows.keys()];
  const compiled: CompiledRecipe = {
    kind: 'recipe',
    recipe,
    origin: createOrigin(origin, inlinedFlows),
    findings,
    removedPointers: shape.removedPointers,
    availableFlows,
  };
  return { compiled, findings };
}

/** Returns the flows of catalogs that the recipe calls, directly or through other flows. */
function reachableFlows(json: RecipeJson, external: ReadonlyMap<string, CatalogFlow>): Map<string, CatalogFlow> {
  const reached = new Map<string, CatalogFlow>();
  if (external.size === 0) return reached;
  const ids = new Set(flowRefsIn([json.startState, json.validate.workflow, json.flows]));
  for (const id of ids) {
    const flow = external.get(id);
    if (!flow) continue;
    reached.set(id, flow);
    for (const ref of flowRefsIn(flow.json)) ids.add(ref);
  }
  return reached;
}

/** Returns the ids of all flows that a part of a document calls. */
export function flowRefsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { ref } = value as { ref?: unknown };
  return [...(typeof ref === 'string' ? [ref] : []), ...Object.values(value).flatMap(flowRefsIn)];
}

// Uses no spreads: they would take most of the compile time.
function toRecipe(json: RecipeJson, external: ReadonlyMap<string, CatalogFlow>): Recipe {
  const { workflow } = json.validate;
  const graph = '/validate/workflow';
  return {
    title: json.title,
    inputs: json.inputs ? new Map(Object.entries(json.inputs)) : new Map(),
    proofTargets: json.proofTargets ? toTargets(json.proofTargets) : emptyList,
    preConditions: workflow.pre_conditions ? workflow.pre_conditions.map(toPreCondition) : emptyList,
    setup: workflow.setup ? toLifecycleNodes('setup', workflow.setup, graph) : emptyList,
    startState: json.startState && toNode('startState', json.startState, { pointer: '/startState', section: 'startState' }),
    entry: workflow.entry,
    nodes: toNodes(workflow.nodes, { pointer: `${graph}/nodes`, section: 'graph' }),
    teardown: workflow.teardown ? toLifecycleNodes('teardown', workflow.teardown, graph) : emptyList,
    flows: toFlows(json.flows, external),
    json: external.size === 0 ? json : inlineFlows(json, external),
  };
}

// V8 discards compiled code when it meets an array of another internal kind. So all recipes share one empty list, and toTargets
// adds one target at a time.
const emptyList: readonly never[] = [];

function toTargets(targetsJson: NonNullable<RecipeJson['proofTargets']>): ProofTarget[] {
  const targets: ProofTarget[] = [];
  for (const target of targetsJson) targets.push(toTarget(target));
  return targets;
}

function toTarget({ id, claim, blocked }: NonNullable<RecipeJson['proofTargets']>[number]): ProofTarget {
  return blocked === undefined ? { id, claim } : { id, claim, blocked };
}

type PreConditionJson = NonNullable<RecipeJson['validate']['workflow']['pre_conditions']>[number];

function toPreCondition(json: PreConditionJson, index: number): PreCondition {
  const { id, params = {}, required = true } = typeof json === 'string' ? { id: json } : json;
  return { id, params, required, pointer: joinPointer('/validate/workflow/pre_conditions', index) };
}

function toLifecycleNodes(name: 'setup' | 'teardown', nodes: readonly NodeJson[], graph: string): RecipeNode[] {
  return nodes.map(({ id = '', ...node }, index) =>
    toNode(id || `${name}:${index}`, node, { pointer: joinPointer(graph, name, index), section: name }),
  );
}

function toFlows(inline: RecipeJson['flows'], external: ReadonlyMap<string, CatalogFlow>): Map<string, Flow> {
  const flows = new Map<string, Flow>();
  for (const [id, json] of inline ? Object.entries(inline) : []) flows.set(id, toFlow(id, json));
  for (const [id, { json, catalog }] of external) flows.set(id, { ...toFlow(id, json), catalog });
  return flows;
}

// A flow without a graph already has a finding. An empty graph lets the rules check the rest of the flow.
export function toFlow(id: string, json: FlowJson): Flow {
  const { version, description, paramsSchema, outputsSchema, defaultPhase, defaultRecord, requiresActions, postcondition } = json;
  const pointer = joinPointer('/flows', id);
  const graphPointer = json.workflow ? joinPointer(pointer, 'workflow') : pointer;
  const { entry = '', nodes = {} } = json.workflow ?? json;
  return {
    id,
    pointer,
    graphPointer,
    entry,
    nodes: toNodes(nodes, { pointer: joinPointer(graphPointer, 'nodes'), section: 'flow' }),
    ...omitUndefined({
      fromRecipe: json.provenance?.recipe === undefined ? undefined : (true as const),
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

function inlineFlows(json: RecipeJson, external: ReadonlyMap<string, CatalogFlow>): unknown {
  const { uses: _, ...rest } = json;
  return { ...rest, flows: { ...json.flows, ...Object.fromEntries([...external].map(([id, flow]) => [id, flow.json])) } };
}

function createOrigin(
  recipeOrigin: CompiledRecipe['origin'],
  external: ReadonlyMap<string, CatalogFlow>,
): CompiledRecipe['origin'] {
  return (pointer, part): Place => {
    const id = /^\/flows\/([^/]*)/.exec(pointer)?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
    const flow = id === undefined ? undefined : external.get(id);
    return flow ? flow.document.place(pointer, part) : recipeOrigin(pointer, part);
  };
}

/** The position of a node, or of a map of nodes, in the recipe that runs. */
type Location = Pick<RecipeNode, 'pointer' | 'section'>;

export function toNode(id: string, json: NodeJson, { pointer, section }: Location): RecipeNode {
  const { rw } = json;
  let fields: Record<string, unknown> | undefined;
  const bindings = rw?.in ? new Map(Object.entries(rw.in)) : noBindings;
  // All nodes have the same fields in the same order, which V8 reads several times faster.
  const node: RecipeNode = {
    id,
    pointer,
    section,
    action: json.action,
    intent: undefined,
    description: undefined,
    next: undefined,
    cases: undefined,
    fallback: undefined,
    routes: undefined,
    status: undefined,
    when: undefined,
    unless: undefined,
    assert: undefined,
    phase: undefined,
    record: undefined,
    proofTarget: undefined,
    proves: undefined,
    timeoutMs: undefined,
    saveAs: undefined,
    onFail: rw?.on_fail ?? 'stop',
    retry: undefined,
    templates: undefined,
    bindings,
    body: undefined,
    fields: noFields,
  };
  // Iterates over the keys of the node, because most nodes have few of the protocol's fields.
  for (const key of Object.keys(json)) {
    if (copyProtocolField(node, json, key) || protocolFields.has(key)) continue;
    fields ??= {};
    fields[key] = json[key];
  }
  if (fields) node.fields = fields;
  if (rw) addControls(node, rw);
  if (json.body) node.body = toBody(json.body, { pointer: joinPointer(pointer, 'body'), section: sectionInside(section) });
  return node;
}

/** A start state runs a flow, so its inner nodes set their own phases, as the nodes of a flow do. */
function sectionInside(section: Section): Section {
  return section === 'startState' ? 'flow' : section;
}

const noFields: RecipeNode['fields'] = Object.freeze({});
const noBindings: RecipeNode['bindings'] = new Map();

/** Copies a field of the protocol that needs no translation. Returns false for any other field. */
function copyProtocolField(node: RecipeNode, json: NodeJson, key: string): boolean {
  if (key === 'intent' && json.intent !== undefined) node.intent = json.intent;
  else if (key === 'next' && json.next !== undefined) node.next = json.next;
  else if (key === 'assert' && json.assert !== undefined) node.assert = json.assert;
  else if (key === 'proofTarget' && json.proofTarget !== undefined) node.proofTarget = json.proofTarget;
  else if (key === 'timeout_ms' && json.timeout_ms !== undefined) node.timeoutMs = json.timeout_ms;
  else if (key === 'cases' && json.cases !== undefined) node.cases = json.cases;
  else if (key === 'default' && json.default !== undefined) node.fallback = json.default;
  else if (key === 'when' && json.when !== undefined) node.when = json.when;
  else if (key === 'unless' && json.unless !== undefined) node.unless = json.unless;
  else if (key === 'phase' && json.phase !== undefined) node.phase = json.phase;
  else if (key === 'record' && json.record !== undefined) node.record = json.record;
  else if (key === 'description' && json.description !== undefined) node.description = json.description;
  else if (key === 'save_as' && json.save_as !== undefined) node.saveAs = json.save_as;
  else return false;
  return true;
}

function addControls(node: RecipeNode, rw: NonNullable<NodeJson['rw']>): void {
  if (rw.retry)
    node.retry = toRetry(rw.retry, { pointer: joinPointer(node.pointer, 'rw', 'retry'), section: sectionInside(node.section) });
  if (rw.templates) node.templates = rw.templates;
  if (rw.proves && rw.proves.length > 1) node.proves = rw.proves;
  if (rw.cases) node.routes = new Map(Object.entries(rw.cases));
}

function toNodes(json: Record<string, NodeJson>, { pointer, section }: Location): Map<string, RecipeNode> {
  const nodes = new Map<string, RecipeNode>();
  // Object.entries is several times slower on an object of many keys.
  for (const id of Object.keys(json))
    nodes.set(id, toNode(id, json[id] as NodeJson, { pointer: joinPointer(pointer, id), section }));
  return nodes;
}

/** The fields of the protocol, which no action declares. `params` belongs to the action `call`, and `id` exists only in lists. */
const protocolFields: ReadonlySet<string> = new Set(
  Object.keys(nodeModel.shape).filter((key) => key !== 'params' && key !== 'id'),
);

function toRetry(
  retry: { max: number; recover?: NodeJson | undefined },
  { pointer, section }: Location,
): NonNullable<RecipeNode['retry']> {
  if (!retry.recover) return { max: retry.max };
  return { max: retry.max, recover: toNode('recover', retry.recover, { pointer: joinPointer(pointer, 'recover'), section }) };
}

function toBody(json: BodyJson, { pointer, section }: Location): Body {
  const nodes = toNodes(json.nodes, { pointer: joinPointer(pointer, 'nodes'), section });
  const edges = (json.edges ?? []).map(({ from, to, when, intent }) => ({ from, to, ...omitUndefined({ when, intent }) }));
  return { nodes, edges, ...omitUndefined({ entry: json.entry }) };
}

/** A flow of a catalog that the recipe names in `uses`. */
type CatalogFlow = { json: FlowJson; document: Document; catalog: string };

type CatalogUse = { json: RecipeJson; origin: CompiledRecipe['origin']; file: string };

function readCatalogs({ json, origin, file }: CatalogUse, resolve: ResolveDocument) {
  const flows = new Map<string, CatalogFlow>();
  const findings: Finding[] = [];
  for (const [index, ref] of (json.uses ?? []).entries()) {
    const path = joinPointer('/uses', index);
    const report = (code: string, message: string): void => {
      findings.push({ code, severity: 'error', path, place: origin(path), message });
    };
    const { document, problem } = resolve(ref, file);
    if (!document) {
      report('recipe.unreadable_catalog', `The catalog ${JSON.stringify(ref)} cannot be read: ${problem ?? 'no such document'}`);
      continue;
    }
    const shape = readShape(catalogModel, document.value, protoIssues);
    findings.push(...shapeFindings(document.value, shape.issues, (pointer) => document.place(pointer)));
    for (const [id, flow] of Object.entries(shape.value?.flows ?? {})) {
      if (flows.has(id) || Object.hasOwn(json.flows ?? {}, id))
        report('flow.declared_twice', `The flow ${JSON.stringify(id)} is declared more than once.`);
      flows.set(id, { json: flow, document, catalog: ref });
    }
  }
  return { flows, findings };
}
