// A template whose values are known, compiled to a recipe for one run: every node has its words, its limits and its number of tries.
import type { Recipe, RecipeNode } from '../../recipe/recipe.js';
import { type FailureScope, parseFailureScope } from './controls.js';
import { getBranchLabel } from './model.js';
import { type ResolvedNode, type ResolveSettings, resolveNode, type Step } from './resolveNode.js';

/** The actions of a bound recipe. They belong to one run: src/formats/template/actions/boundActions.ts makes them. */
export const boundActionNames = { command: 'rw.template_command', group: 'rw.template_group' } as const;

export type BoundNode = {
  id: string;
  /** Where it stands in the bound recipe. */
  pointer: string;
  work: BoundWork;
  /** How far its author lets its failure reach. */
  failure: FailureScope;
  /** Its author wrote "failure": "continue". */
  mayFail: boolean;
  /** How often it is tried at most; undefined for a node without "retry". */
  maxTries?: number;
  /** Runs between a failed try and the next one. */
  recovery?: BoundNode;
  isRecovery: boolean;
  /** The node whose body it stands in; of a recovery, the node that is tried again. */
  parent?: BoundNode;
  /** Its place among the children of its parent. */
  index: number;
  children: BoundNode[];
};

export type BoundWork =
  | { kind: 'skip'; delayMs: number }
  | { kind: 'command'; delayMs: number; argv: [string, ...string[]]; timeoutMs?: number; retry?: number }
  /** What the reference only finds when it comes to the node. */
  | { kind: 'refused'; error: unknown }
  /** `isWholeRun`: its only step is all that runs, so that its failure is that of the run. */
  | { kind: 'sequence'; failure: FailureScope; timeoutMs?: number; isWholeRun: boolean }
  | { kind: 'branches'; failure: FailureScope; timeoutMs?: number; labels: string[]; limit: number; quorum?: number }
  /** One node, after a delay or with tries of its own. */
  | { kind: 'wrapper' };

/** `nodes`: by their pointers. */
export type BoundRecipe = { recipe: Recipe; root: BoundNode; nodes: ReadonlyMap<string, BoundNode> };

/** Throws the first TemplateError of the template, before anything runs; in compat, nodes throw theirs when the run comes to them. */
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
    // The reference asks the outer node alone.
    return addDelay(settings.compat ? Object.assign(inner, failure) : inner, delayMs);
  }
  if (resolved.kind === 'tries') return addDelay(bindTries(resolved, binding), delayMs);
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

function bindTries(
  { attempt, max, recover }: Extract<ResolvedNode, { kind: 'tries' }>,
  { settings, isRoot }: Binding,
): BoundNode {
  const inner = bindNode(attempt, { settings, isRoot });
  const node = inner.maxTries !== undefined ? wrapNode([inner]) : inner;
  node.maxTries = max;
  if (recover) {
    const recovery = bindNode(recover, { settings, isRoot: false });
    // The engine runs a recovery once, but its steps can have tries of their own.
    node.recovery = recovery.maxTries !== undefined ? wrapNode([recovery]) : recovery;
    node.recovery.isRecovery = true;
  }
  return node;
}

/** The delay comes once, before all tries and outside of the time limit. */
function addDelay(node: BoundNode, delayMs: number): BoundNode {
  if (delayMs === 0) return node;
  const { work } = node;
  const isLeaf = work.kind === 'command' || work.kind === 'skip';
  if (isLeaf && node.maxTries === undefined) return { ...node, work: { ...work, delayMs: work.delayMs + delayMs } };
  return wrapNode([createNode({ kind: 'skip', delayMs }), node]);
}

/** The last child is the node itself. */
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

// Whether a failure is passed over depends on how far it reaches, which its action says when it ends.
function toRecipeNode({ id, pointer, work, maxTries, recovery, children }: BoundNode): RecipeNode {
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
  if (maxTries !== undefined) node.retry = { max: maxTries, ...(recovery ? { recover: toRecipeNode(recovery) } : {}) };
  return node;
}
