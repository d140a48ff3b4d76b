// The values that conditions, routers, mappings and templates of a runtime recipe can read, and how they find them.
import { type PathResult, parsePath, readKeys } from '../../engine/jsonPath.js';
import type { DataMapping, Mapping } from './manifest.js';
import { pythonStr } from './python/values.js';

type Dict = Readonly<Record<string, unknown>>;

export type RuntimeValues = {
  state: Dict;
  inputs: Dict;
  /** Constants of the manifest. */
  parameters: Dict;
  /** The outputs of nodes, by id. */
  nodes: Dict;
  /** The output of the node whose edges are being decided. */
  output?: unknown;
  item?: unknown;
};

const notFound: PathResult = { found: false };

/** Looks up a name: first one of the groups themselves, then a node, a key of the state, an input or a parameter. */
export function findName(values: RuntimeValues, name: string): PathResult {
  const { state, inputs, parameters, nodes, output, item } = values;
  const group = readKeys({ state, inputs, parameters, nodes }, [name]);
  if (group.found) return group;
  for (const source of [nodes, state, inputs, parameters]) {
    const result = readKeys(source, [name]);
    if (result.found) return result;
  }
  return readKeys({ input: inputs, outputs: nodes, output, result: output, item }, [name]);
}

/** `$state.x`, `$input.x`, `$node.id.x`, `$parameters.x`, `$output.x` and `$item.x`. `$.x` reads the state. */
const referencePattern = /^\$(?:(state|inputs?|nodes?|parameters|output|item)(?=$|[.[])|(?=$|[.[]))(.*)$/s;

/** Returns true even for an invalid path, which has no value, so that a mistyped reference is not used as a string. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && referencePattern.test(value);
}

export function findReference(values: RuntimeValues, text: string): PathResult {
  const [, root = 'state', path = ''] = referencePattern.exec(text) ?? [];
  const keys = parsePath(`$${path}`);
  if (!keys) return notFound;
  if (root === 'node' || root === 'nodes') return findInNodes(values.nodes, keys);
  const { state, inputs, parameters, output, item } = values;
  return readKeys({ state, inputs, input: inputs, parameters, output, item }, [root, ...keys]);
}

// The id of a node can contain dots.
function findInNodes(nodes: Dict, keys: readonly string[]): PathResult {
  for (let length = keys.length; length > 0; length--) {
    const id = keys.slice(0, length).join('.');
    if (Object.hasOwn(nodes, id)) return readKeys(nodes, [id, ...keys.slice(length)]);
  }
  return notFound;
}

/** Finds a reference with `$`, or a dotted path: first in the state, then by its first name. */
export function findPath(values: RuntimeValues, path: string): PathResult {
  if (path.startsWith('$')) return isReference(path) ? findReference(values, path) : notFound;
  const keys = parsePath(`$.${path}`);
  const [first, ...rest] = keys ?? [];
  if (first === undefined) return notFound;
  const inState = readKeys(values.state, [first, ...rest]);
  if (inState.found) return inState;
  const root = findName(values, first);
  return root.found ? readKeys(root.value, rest) : notFound;
}

/**
 * Applies the input or output mapping of a recipe node. `"source": "target"` maps a path to a key; an object is the source of
 * its own key. Missing values are left out, as the schemas report required ones.
 */
export function applyMapping(mapping: Mapping, values: RuntimeValues): Record<string, unknown> {
  const mapped = Object.entries(mapping).flatMap(([key, target]): [string, unknown][] => {
    const [name, result] =
      typeof target === 'string' ? [target, findPath(values, key)] : [key, readMappingSource(target, values)];
    return result.found ? [[name, result.value]] : [];
  });
  return Object.fromEntries(mapped);
}

function readMappingSource({ source, strategy }: DataMapping, values: RuntimeValues): PathResult {
  if (strategy === 'literal') return { found: true, value: source };
  if (strategy === 'direct') return findPath(values, source);
  const path = source.startsWith('$') ? source : `$.${source}`;
  return isReference(path) ? findReference(values, path) : { found: false };
}

const variablePattern = /\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])*)\s*\}\}/g;

/** Returns the paths of all `{{ path }}` in the strings of a value. */
export function findVariables(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(variablePattern)].map(([, path = '']) => path);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findVariables) : [];
}

/**
 * Replaces `{{ path }}`. A string that is only `{{ path }}` becomes the value itself; elsewhere, the value becomes a string.
 * Unknown paths stay unchanged.
 */
export function expandVariables(value: unknown, values: RuntimeValues): unknown {
  if (typeof value === 'string') return expandText(value, values);
  if (Array.isArray(value)) return value.map((item) => expandVariables(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expandVariables(item, values)]));
}

function expandText(text: string, values: RuntimeValues): unknown {
  const [only] = text.matchAll(variablePattern);
  if (only && only[0].length === text.trim().length) {
    const result = findPath(values, only[1] ?? '');
    return result.found ? result.value : text;
  }
  return text.replace(variablePattern, (variable, path: string) => {
    const result = findPath(values, path);
    return result.found ? pythonStr(result.value) : variable;
  });
}
