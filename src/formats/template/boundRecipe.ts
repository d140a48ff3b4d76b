// Compiles a template and the values of one run to a recipe: every node has its final words, time limits and number of attempts.
import type { Recipe, RecipeNode } from '../../recipe/recipe.js';
import { type FailureScope, parseFailureScope } from './controls.js';
import { getBranchLabel } from './model.js';
import { type ResolvedNode, type ResolveSettings, resolveNode, type Step } from './resolveNode.js';

/** The actions of a bound recipe. src/formats/template/actions/boundActions.ts creates them for each run. */
export const boundActionNames = { command: 'rw.template_command', group: 'rw.template_group' } as const;

export type BoundNode = {
  id: string;
  /** The position in the bound recipe. */
  pointer: string;
  work: BoundWork;
  /** The `failure` field of the author: how far a failure of the node reaches. */
  failure: FailureScope;
  /** True when the author wrote "failure": "continue". */
  mayFail: boolean;
  /** The maximum number of attempts. Undefined for a node without "retry". */
  maxAttempts?: number;
  /** Runs between a failed attempt and the next one. */
  recovery?: BoundNode;
  isRecovery: boolean;
  /** The node that contains this node. For a recovery, the node that is retried. */
  parent?: BoundNode;
  /** The index among the children of the parent. */
  index: number;
  children: BoundNode[];
};

export type BoundWork =
  | { kind: 'skip'; delayMs: number }
  | { kind: 'command'; delayMs: number; argv: [string, ...string[]]; timeoutMs?: number; retry?: number }
  /** The node is invalid. The reference implementation reports the error only when the run reaches the node. */
  | { kind: 'refused'; error: unknown }
  /** `isWholeRun`: the sequence is the root and has one step, so a failure of the step is the failure of the run. */
  | { kind: 'sequence'; failure: FailureScope; timeoutMs?: number; isWholeRun: boolean }
  | { kind: 'branches'; failure: FailureScope; timeoutMs?: number; labels: string[]; limit: number; quorum?: number }
  /** Wraps one node, to add a delay or an outer retry. */
  | { kind: 'wrapper' };

/** `nodes` has the nodes by pointer. */
export type BoundRecipe = { recipe: Recipe; root: BoundNode; nodes: ReadonlyMap<string, BoundNode> };

/**
 * Throws the first TemplateError of the template before any command starts. With `compat`, a node throws its error when the run
 * reaches it.
 */
export function compileBoundRecipe(step: Step, settings: ResolveSettings): BoundRecipe {
  const root = bindNode(step, { settings, isRoot: true });
  const nodes = new Map<string, BoundNode>();
  placeNode(root, { id: 'template', pointer: '/template' }, nodes);
  const recipe: Recipe = {
    inputs: new Map(),
    proofTargets: [],
    preConditions: [],
    setup: [],
    entry: root.id,
    nodes: new Map([[root.id, toRecipeNode(root)]]),
    teardown: [],
    flows: new Map(),
    json: {},
  };
  return { recipe, root, nodes };
}

type Binding = { settings: ResolveSettings; isRoot: boolean };

function bindNode(step: Step, binding: Binding): BoundNode {
  const { settings, isRoot } = binding;
  const resolved = resolveOrRefuse(step, settings);
  if (resolved instanceof Refusal) return createNode({ kind: 'refused', error: resolved.error });
  const { delayMs } = resolved;
  if (resolved.kind === 'skip') return createNode({ kind: 'skip', delayMs });
  const failure = { failure: parseFailureScope(step.node.failure), mayFail: step.node.failure === 'continue' };
  if (resolved.kind === 'leaf') return createNode({ ...resolved, kind: 'command' }, failure);
  if (resolved.kind === 'inner') {
    const inner = bindNode(resolved.step, { settings, isRoot: isRoot && !settings.compat });
    // The reference implementation reads the failure fields of the outer node only.
    return addDelay(settings.compat ? Object.assign(inner, failure) : inner, delayMs);
  }
  if (resolved.kind === 'retry') return addDelay(bindRetry(resolved, binding), delayMs);
  const group = createNode(toGroupWork(resolved, isRoot), failure);
  group.children = resolved.steps.map((child) => bindNode(child, { settings, isRoot: false }));
  return addDelay(group, delayMs);
}

class Refusal {
  constructor(readonly error: unknown) {}
}

function resolveOrRefuse(step: Step, settings: ResolveSettings): ResolvedNode | Refusal {
  try {
    return resolveNode(step, settings);
  } catch (thrown) {
    if (!settings.compat) throw thrown;
    return new Refusal(thrown);
  }
}

function createNode(work: BoundWork, failure: Pick<BoundNode, 'failure' | 'mayFail'> = noFailureField): BoundNode {
  return { id: '', pointer: '', work, ...failure, isRecovery: false, index: 0, children: [] };
}

const noFailureField = { failure: 'continue', mayFail: false } as const;

function toGroupWork(
  { isParallel, failure, timeoutMs, limit, quorum, steps }: Extract<ResolvedNode, { kind: 'group' }>,
  isRoot: boolean,
): BoundWork {
  const deadline = timeoutMs === undefined ? {} : { timeoutMs };
  if (!isParallel) return { kind: 'sequence', failure, ...deadline, isWholeRun: isRoot && steps.length === 1 };
  const labels = steps.map(({ node }, index) => getBranchLabel(node, index));
  return { kind: 'branches', failure, ...deadline, labels, limit, ...(quorum === undefined ? {} : { quorum }) };
}

function bindRetry(
  { attempt, max, recover }: Extract<ResolvedNode, { kind: 'retry' }>,
  { settings, isRoot }: Binding,
): BoundNode {
  const inner = bindNode(attempt, { settings, isRoot });
  const node = inner.maxAttempts !== undefined ? wrapNode([inner]) : inner;
  node.maxAttempts = max;
  if (recover) {
    const recovery = bindNode(recover, { settings, isRoot: false });
    // The engine runs a recovery once. Inside a wrapper, the recovery can have its own retry.
    node.recovery = recovery.maxAttempts !== undefined ? wrapNode([recovery]) : recovery;
    node.recovery.isRecovery = true;
  }
  return node;
}

/** Adds a delay before the first attempt. The delay does not count for the time limit. */
function addDelay(node: BoundNode, delayMs: number): BoundNode {
  if (delayMs === 0) return node;
  const { work } = node;
  const isLeaf = work.kind === 'command' || work.kind === 'skip';
  if (isLeaf && node.maxAttempts === undefined) return { ...node, work: { ...work, delayMs: work.delayMs + delayMs } };
  return wrapNode([createNode({ kind: 'skip', delayMs }), node]);
}

/** Wraps nodes into one. The last child is the wrapped node, and its failure scope counts for the wrapper. */
function wrapNode(children: BoundNode[]): BoundNode {
  const wrapper = createNode({ kind: 'wrapper' });
  wrapper.failure = children.at(-1)?.failure ?? 'continue';
  wrapper.children = children;
  return wrapper;
}

function placeNode(node: BoundNode, place: Pick<BoundNode, 'id' | 'pointer'>, nodes: Map<string, BoundNode>): void {
  Object.assign(node, place);
  nodes.set(node.pointer, node);
  for (const [index, child] of node.children.entries()) {
    child.parent = node;
    child.index = index;
    placeNode(child, { id: `step-${index + 1}`, pointer: `${node.pointer}/${index}` }, nodes);
  }
  if (!node.recovery) return;
  node.recovery.parent = node;
  placeNode(node.recovery, { id: 'recover', pointer: `${node.pointer}/recover` }, nodes);
}

// Every node has onFail "continue": its action decides at its end how far a failure reaches.
function toRecipeNode({ id, pointer, work, maxAttempts, recovery, children }: BoundNode): RecipeNode {
  const node: RecipeNode = {
    id,
    pointer,
    section: 'graph',
    action: boundActionNames[children.length > 0 ? 'group' : 'command'],
    onFail: 'continue',
    bindings: new Map(),
    fields: {},
  };
  if (children.length > 0) node.body = { nodes: new Map(children.map((child) => [child.id, toRecipeNode(child)])), edges: [] };
  if ('timeoutMs' in work && work.kind !== 'command') node.timeoutMs = work.timeoutMs;
  if (maxAttempts !== undefined) node.retry = { max: maxAttempts, ...(recovery ? { recover: toRecipeNode(recovery) } : {}) };
  return node;
}
