// One authored node in our spelling.
import { joinPointer } from '../../document/pointer.js';
import { present } from '../../document/present.js';
import type { Body, RecipeNode } from '../../recipe/recipe.js';
import { type BodyJson, type NodeJson, nodeModel } from './model.js';

export function toNode(id: string, json: NodeJson, pointer: string): RecipeNode {
  const { rw } = json;
  let fields: Record<string, unknown> | undefined;
  const bindings = rw?.in ? new Map(Object.entries(rw.in)) : noBindings;
  // All nodes have the same fields in the same order: the engine of JavaScript reads those several times faster.
  const node: RecipeNode = {
    id,
    pointer,
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
  // Only what is written is looked at: most nodes have few of the protocol's fields.
  for (const key of Object.keys(json)) {
    if (keep(node, json, key) || shared.has(key)) continue;
    fields ??= {};
    fields[key] = json[key];
  }
  if (fields) node.fields = fields;
  if (rw) addControls(node, rw);
  if (json.body) node.body = toBody(json.body, joinPointer(pointer, 'body'));
  return node;
}

const noFields: RecipeNode['fields'] = Object.freeze({});
const noBindings: RecipeNode['bindings'] = new Map();

/** Takes over a field of the protocol that a node keeps as it is, in our spelling; false for any other. */
function keep(node: RecipeNode, json: NodeJson, key: string): boolean {
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
  if (rw.retry) node.retry = toRetry(rw.retry, joinPointer(node.pointer, 'rw', 'retry'));
  if (rw.templates) node.templates = rw.templates;
  if (rw.proves && rw.proves.length > 1) node.proves = rw.proves;
  if (rw.cases) node.routes = new Map(Object.entries(rw.cases));
}

export function toNodes(json: Record<string, NodeJson>, pointer: string): Map<string, RecipeNode> {
  const nodes = new Map<string, RecipeNode>();
  // Object.entries is several times slower on an object of many keys.
  for (const id of Object.keys(json)) nodes.set(id, toNode(id, json[id] as NodeJson, joinPointer(pointer, id)));
  return nodes;
}

/** Fields of the protocol's own, but for `params`, which is the call's, and `id`, which only lists have; what is left belongs to the action. */
const shared: ReadonlySet<string> = new Set(Object.keys(nodeModel.shape).filter((key) => key !== 'params' && key !== 'id'));

function toRetry(retry: { max: number; recover?: NodeJson | undefined }, pointer: string): NonNullable<RecipeNode['retry']> {
  if (!retry.recover) return { max: retry.max };
  return { max: retry.max, recover: toNode('recover', retry.recover, joinPointer(pointer, 'recover')) };
}

function toBody(json: BodyJson, pointer: string): Body {
  const nodes = toNodes(json.nodes, joinPointer(pointer, 'nodes'));
  const edges = (json.edges ?? []).map(({ from, to, when, intent }) => ({ from, to, ...present({ when, intent }) }));
  return { nodes, edges, ...present({ entry: json.entry }) };
}
