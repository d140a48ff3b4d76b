// Finds the node of recipe.json that an entry of the trace or an artifact names. Works for the classic and the modern dialect.

type Json = Readonly<Record<string, unknown>>;

/** `unknown`: the recipe has no such node. `open`: the package does not have the graph in which the node would be. */
type NodeLookup = { kind: 'node'; action: unknown; intent: unknown } | { kind: 'open' } | { kind: 'unknown' };

export type RecipeNodeIndex = {
  find(id: string): NodeLookup;
  /** Undefined when the recipe declares no claims. An artifact may then name any claim. */
  claims: ReadonlySet<string> | undefined;
};

/** Returns the index of a recipe, or a string with the reason why the value is not a recipe. */
export function indexRecipeNodes(recipe: unknown): RecipeNodeIndex | string {
  const workflow = objectAt(objectAt(recipe, 'validate') ?? recipe, 'workflow');
  if (!workflow) return 'it has neither "validate": { "workflow": … } nor "workflow"';
  const graph = objectAt(workflow, 'nodes');
  if (!graph || Object.keys(graph).length === 0) return 'its workflow has no nodes';
  const malformed = Object.keys(graph).find((id) => !objectAt(graph, id));
  if (malformed !== undefined) return `its node ${JSON.stringify(malformed)} is not an object`;
  const { entry } = workflow;
  if (typeof entry !== 'string' || !Object.hasOwn(graph, entry)) return 'the "entry" of its workflow is not one of its nodes';
  return { find: createNodeLookup(recipe, workflow, graph), claims: declaredClaims(recipe as Json) };
}

function declaredClaims({ proofTargets }: Json): ReadonlySet<string> | undefined {
  if (!Array.isArray(proofTargets) || proofTargets.length === 0) return undefined;
  return new Set(proofTargets.map((target: Json | null) => String(target?.id)));
}

function createNodeLookup(recipe: unknown, workflow: Json, graph: Json): RecipeNodeIndex['find'] {
  const root: Json = { __proto__: null, ...graph, ...lifecycleNodes(recipe, workflow) };
  return (id) => {
    if (Object.hasOwn(root, id)) return toLookup(root[id]);
    if (/^(pre_conditions|setup|teardown):|:hud:|^recipe-complete$/.test(id)) return { kind: 'open' };
    return followPath(root, id.split('/').map(stripVisit), objectAt(recipe, 'flows') ?? {});
  };
}

function lifecycleNodes(recipe: unknown, workflow: Json): Json {
  const phases = ['setup', 'teardown'].flatMap((name) => {
    const list = workflow[name];
    return Array.isArray(list) ? list.map((node: Json, index) => [String(node?.id ?? `${name}:${index}`), node]) : [];
  });
  const startState = objectAt(recipe, 'startState');
  return Object.fromEntries([...phases, ...(startState ? [['startState', startState]] : [])]);
}

function followPath(nodes: Json, [first = '', ...rest]: readonly string[], flows: Json): NodeLookup {
  if (!Object.hasOwn(nodes, first)) return { kind: 'unknown' };
  const node = nodes[first];
  if (rest.length === 0) return toLookup(node);
  const recover = objectAt(objectAt(objectAt(node, 'rw'), 'retry'), 'recover');
  const children = recover && rest[0] === 'recover' ? { recover } : childrenOf(node, flows);
  return children ? followPath(children, rest, flows) : { kind: 'open' };
}

function childrenOf(node: unknown, flows: Json): Json | undefined {
  const body = objectAt(objectAt(node, 'body'), 'nodes');
  if (body) return body;
  const ref = String((node as Json | null)?.ref);
  const flow = Object.hasOwn(flows, ref) ? flows[ref] : undefined;
  return objectAt(objectAt(flow, 'workflow') ?? flow, 'nodes');
}

// A step of a run path has the item, the visit and the attempt after the id: child[3]#2@1.
function stripVisit(step: string): string {
  return step.replace(/(\[\d+\])?(#\d+)?(@\d+)?$/, '');
}

function toLookup(node: unknown): NodeLookup {
  const { action, intent } = (node ?? {}) as Json;
  return { kind: 'node', action, intent };
}

function objectAt(value: unknown, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  const found = (value as Json)[key];
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Json) : undefined;
}
