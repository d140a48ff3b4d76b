// One authored node in our spelling.
import { joinPointer } from '../../document/pointer.js';
import { present } from '../../document/present.js';
import type { Body, RecipeNode } from '../recipe.js';
import { type BodyJson, type NodeJson, nodeModel } from './model.js';

// Written out field by field: this runs once for every node there is, and a loop over names costs it double.
export function toNode(id: string, json: NodeJson, pointer: string): RecipeNode {
  const { rw } = json;
  const bindings = rw?.in ? new Map(Object.entries(rw.in)) : noBindings;
  const node: RecipeNode = { id, pointer, action: json.action, fields: fieldsOf(json), onFail: rw?.on_fail ?? 'stop', bindings };
  if (json.intent !== undefined) node.intent = json.intent;
  if (json.next !== undefined) node.next = json.next;
  if (json.cases !== undefined) node.cases = json.cases;
  if (json.default !== undefined) node.fallback = json.default;
  if (json.when !== undefined) node.when = json.when;
  if (json.unless !== undefined) node.unless = json.unless;
  if (json.assert !== undefined) node.assert = json.assert;
  if (json.phase !== undefined) node.phase = json.phase;
  if (json.record !== undefined) node.record = json.record;
  if (json.proofTarget !== undefined) node.proofTarget = json.proofTarget;
  if (json.timeout_ms !== undefined) node.timeoutMs = json.timeout_ms;
  if (json.save_as !== undefined) node.saveAs = json.save_as;
  if (rw?.retry) node.retry = toRetry(rw.retry, joinPointer(pointer, 'rw', 'retry'));
  if (rw?.templates) node.templates = rw.templates;
  if (rw?.cases) node.routes = new Map(Object.entries(rw.cases));
  if (json.body) node.body = toBody(json.body, joinPointer(pointer, 'body'));
  return node;
}

const noBindings: RecipeNode['bindings'] = new Map();

function fieldsOf(json: NodeJson): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const key of Object.keys(json)) if (!shared.has(key)) fields[key] = json[key];
  return fields;
}

export function toNodes(json: Record<string, NodeJson>, pointer: string): Map<string, RecipeNode> {
  return new Map(Object.entries(json).map(([id, node]) => [id, toNode(id, node, joinPointer(pointer, id))]));
}

/** Fields of the protocol's own, but for `params`, which is the call's, and `id`, which only lists have; what is left belongs to the action. */
const shared: ReadonlySet<string> = new Set(Object.keys(nodeModel.shape).filter((key) => key !== 'params' && key !== 'id'));

function toRetry(retry: { max: number; recover?: NodeJson | undefined }, pointer: string): NonNullable<RecipeNode['retry']> {
  if (!retry.recover) return { max: retry.max };
  return { max: retry.max, recover: toNode('recover', retry.recover, joinPointer(pointer, 'recover')) };
}

function toBody(json: BodyJson, pointer: string): Body {
  const nodes = toNodes(json.nodes, joinPointer(pointer, 'nodes'));
  const edges = (json.edges ?? []).map(({ from, to, when }) => ({ from, to, ...present({ when }) }));
  return { nodes, edges, ...present({ entry: json.entry }) };
}
