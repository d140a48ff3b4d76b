// What conditions, routers, mappings and templates of a runtime recipe can read.
import { type Found, parsePath, readKeys } from '../../engine/path.js';

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

const nothing: Found = { found: false };

/** A name in an expression: a part of the run, else a node, a key of the state, an input or a parameter. */
export function findName(values: RuntimeValues, name: string): Found {
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
const reference = /^\$(?:(state|inputs?|nodes?|parameters|output|item)(?=$|[.[])|(?=$|[.[]))(.*)$/s;

/** Also one whose path nothing can have: it finds nothing, and is never taken for a text. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && reference.test(value);
}

export function findReference(values: RuntimeValues, text: string): Found {
  const [, root = 'state', path = ''] = reference.exec(text) ?? [];
  const keys = parsePath(`$${path}`);
  if (!keys) return nothing;
  if (root === 'node' || root === 'nodes') return findInNodes(values.nodes, keys);
  const { state, inputs, parameters, output, item } = values;
  return readKeys({ state, inputs, input: inputs, parameters, output, item }, [root, ...keys]);
}

// The id of a node may itself have dots.
function findInNodes(nodes: Dict, keys: readonly string[]): Found {
  for (let length = keys.length; length > 0; length--) {
    const id = keys.slice(0, length).join('.');
    if (Object.hasOwn(nodes, id)) return readKeys(nodes, [id, ...keys.slice(length)]);
  }
  return nothing;
}

/** A path in dots, or after `$`: of the state, else of whatever else has its first name. */
export function findPath(values: RuntimeValues, path: string): Found {
  if (path.startsWith('$')) return isReference(path) ? findReference(values, path) : nothing;
  const keys = parsePath(`$.${path}`);
  const [first, ...rest] = keys ?? [];
  if (first === undefined) return nothing;
  const inState = readKeys(values.state, [first, ...rest]);
  if (inState.found) return inState;
  const root = findName(values, first);
  return root.found ? readKeys(root.value, rest) : nothing;
}
