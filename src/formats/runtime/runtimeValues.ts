// What conditions, routers, mappings and templates of a runtime recipe can read.
import { type PathResult, parsePath, readKeys } from '../../engine/jsonPath.js';
import type { DataMapping, Mapping } from './manifest.js';
import { pythonStr } from './python/values.js';

type Dict = Readonly<Record<string, unknown>>;

export type RuntimeValues = {
  state: Dict;
  inputs: Dict;
  /** Constants of the manifest. */
  parameters: Dict;
  /** What nodes gave, by their ids. */
  nodes: Dict;
  /** What the node itself gave, for what is decided after it. */
  output?: unknown;
  item?: unknown;
};

const notFound: PathResult = { found: false };

/** A name in an expression: a part of the run, else a node, a key of the state, an input or a parameter. */
export function findName(values: RuntimeValues, name: string): PathResult {
  const { state, inputs, parameters, nodes, output, item } = values;
  const first = readKeys({ state, inputs, parameters, nodes }, [name]);
  if (first.found) return first;
  for (const from of [nodes, state, inputs, parameters]) {
    const found = readKeys(from, [name]);
    if (found.found) return found;
  }
  return readKeys({ input: inputs, outputs: nodes, output, result: output, item }, [name]);
}

/** `$state.x`, `$input.x`, `$node.id.x`, `$parameters.x`, `$output.x`, `$item.x`; `$.x` is of the state. */
const referencePattern = /^\$(?:(state|inputs?|nodes?|parameters|output|item)(?=$|[.[])|(?=$|[.[]))(.*)$/s;

/** Also one whose path nothing can have: it finds nothing, and is never taken for a text. */
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

// The id of a node may itself have dots.
function findInNodes(nodes: Dict, keys: readonly string[]): PathResult {
  for (let length = keys.length; length > 0; length--) {
    const id = keys.slice(0, length).join('.');
    if (Object.hasOwn(nodes, id)) return readKeys(nodes, [id, ...keys.slice(length)]);
  }
  return notFound;
}

/** A path in dots, or after `$`: of the state, else of whatever else has its first name. */
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

// What a recipe node hands to the recipe it runs, and takes back.

/** `from key: to key`; an object names where the value of its key comes from. What is not there is left out: schemas say whether it must be. */
export function applyMapping(mapping: Mapping, values: RuntimeValues): Record<string, unknown> {
  const mapped = Object.entries(mapping).flatMap(([key, to]): [string, unknown][] => {
    const [name, found] = typeof to === 'string' ? [to, findPath(values, key)] : [key, readMappingSource(to, values)];
    return found.found ? [[name, found.value]] : [];
  });
  return Object.fromEntries(mapped);
}

function readMappingSource({ source, strategy }: DataMapping, values: RuntimeValues): PathResult {
  if (strategy === 'literal') return { found: true, value: source };
  if (strategy === 'direct') return findPath(values, source);
  const path = source.startsWith('$') ? source : `$.${source}`;
  return isReference(path) ? findReference(values, path) : { found: false };
}

// `{{ name }}` in the configuration of a node: alone it is the value itself, in a text it is written out, unknown it stays as it is.

const variablePattern = /\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])*)\s*\}\}/g;

/** The paths that a value refers to. */
export function findVariables(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(variablePattern)].map(([, path = '']) => path);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findVariables) : [];
}

export function expandVariables(value: unknown, values: RuntimeValues): unknown {
  if (typeof value === 'string') return expandText(value, values);
  if (Array.isArray(value)) return value.map((item) => expandVariables(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expandVariables(item, values)]));
}

function expandText(text: string, values: RuntimeValues): unknown {
  const [only] = text.matchAll(variablePattern);
  if (only && only[0].length === text.trim().length) {
    const found = findPath(values, only[1] ?? '');
    return found.found ? found.value : text;
  }
  return text.replace(variablePattern, (written, path: string) => {
    const found = findPath(values, path);
    return found.found ? pythonStr(found.value) : written;
  });
}
