// One authored node in our spelling.
import { joinPointer } from '../../document/pointer.js';
import { present } from '../../document/present.js';
import type { Body, RecipeNode } from '../recipe.js';
import type { BodyJson, NodeJson } from './model.js';

export function toNode(id: string, json: NodeJson, pointer: string): RecipeNode {
  const { action, intent, next, cases, default: fallback, when, unless, assert } = json;
  const { phase, record, proofTarget, timeout_ms: timeoutMs, save_as: saveAs, rw, body, ...fields } = json;
  for (const key of shared) delete fields[key];
  return {
    ...{ id, pointer, action, fields, onFail: rw?.on_fail ?? 'stop', bindings: new Map(Object.entries(rw?.in ?? {})) },
    ...present({ intent, next, cases, fallback, when, unless, assert, phase, record, proofTarget, timeoutMs, saveAs }),
    ...(rw?.retry ? { retry: toRetry(rw.retry, joinPointer(pointer, 'rw', 'retry')) } : {}),
    ...(body ? { body: toBody(body, joinPointer(pointer, 'body')) } : {}),
  };
}

export function toNodes(json: Record<string, NodeJson>, pointer: string): Map<string, RecipeNode> {
  return new Map(Object.entries(json).map(([id, node]) => [id, toNode(id, node, joinPointer(pointer, id))]));
}

/** Fields of the protocol's own; what is left belongs to the action. */
const shared = ['action', 'intent', 'next', 'cases', 'default', 'when', 'unless', 'assert', 'description'];

function toRetry(retry: { max: number; recover?: NodeJson | undefined }, pointer: string): NonNullable<RecipeNode['retry']> {
  if (!retry.recover) return { max: retry.max };
  return { max: retry.max, recover: toNode('recover', retry.recover, joinPointer(pointer, 'recover')) };
}

function toBody(json: BodyJson, pointer: string): Body {
  const nodes = toNodes(json.nodes, joinPointer(pointer, 'nodes'));
  const edges = (json.edges ?? []).map(({ from, to, when }) => ({ from, to, ...present({ when }) }));
  return { nodes, edges, ...present({ entry: json.entry }) };
}
