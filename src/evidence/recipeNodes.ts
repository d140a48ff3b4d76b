// Which node of a retained recipe a trace or an artifact means, in both dialects.
type Json = Readonly<Record<string, unknown>>;

/** `unknown`: there is no such node. `open`: the package does not hold the graph it stands in. */
export type Named = { kind: 'node'; action: unknown } | { kind: 'open' } | { kind: 'unknown' };

/** Undefined when the document is no recipe. */
export function recipeNodes(recipe: unknown): ((id: string) => Named) | undefined {
  const workflow = objectAt(objectAt(recipe, 'validate') ?? recipe, 'workflow');
  const graph = objectAt(workflow, 'nodes');
  if (!workflow || !graph) return undefined;
  const root: Json = { __proto__: null, ...graph, ...lifecycle(recipe, workflow) };
  return (id) => {
    if (Object.hasOwn(root, id)) return nodeOf(root[id]);
    if (/^(pre_conditions|setup|teardown):|:hud:|^recipe-complete$/.test(id)) return { kind: 'open' };
    return follow(root, id.split('/').map(withoutVisit), objectAt(recipe, 'flows') ?? {});
  };
}

function lifecycle(recipe: unknown, workflow: Json): Json {
  const named = ['setup', 'teardown'].flatMap((name) => {
    const list = workflow[name];
    return Array.isArray(list) ? list.map((node: Json, index) => [String(node?.id ?? `${name}:${index}`), node]) : [];
  });
  const startState = objectAt(recipe, 'startState');
  return Object.fromEntries([...named, ...(startState ? [['startState', startState]] : [])]);
}

function follow(nodes: Json, [first = '', ...rest]: readonly string[], flows: Json): Named {
  if (!Object.hasOwn(nodes, first)) return { kind: 'unknown' };
  const node = nodes[first];
  if (rest.length === 0) return nodeOf(node);
  const recover = objectAt(objectAt(objectAt(node, 'rw'), 'retry'), 'recover');
  const inside = recover && rest[0] === 'recover' ? { recover } : childrenOf(node, flows);
  return inside ? follow(inside, rest, flows) : { kind: 'open' };
}

function childrenOf(node: unknown, flows: Json): Json | undefined {
  const body = objectAt(objectAt(node, 'body'), 'nodes');
  if (body) return body;
  const ref = String((node as Json).ref);
  const flow = Object.hasOwn(flows, ref) ? flows[ref] : undefined;
  return objectAt(objectAt(flow, 'workflow') ?? flow, 'nodes');
}

// A run path names the item, the visit and the attempt after the id: child[3]#2@1.
function withoutVisit(step: string): string {
  return step.replace(/(\[\d+\])?(#\d+)?(@\d+)?$/, '');
}

function nodeOf(node: unknown): Named {
  return { kind: 'node', action: (node as Json | undefined)?.action };
}

function objectAt(value: unknown, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  const found = (value as Json)[key];
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Json) : undefined;
}
