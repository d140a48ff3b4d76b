// Runs a region step by step: every call passes one event to the engine, and returns the decision as lines.

import { advanceRun, beginRun, type Decision } from '../../../src/engine/advanceRun.js';
import type { Limits } from '../../../src/engine/limits.js';
import { defaultLimits } from '../../../src/engine/limits.js';
import type { All, Dag, Each, Next, PlanNode, Region, Walk } from '../../../src/engine/plan.js';
import { planDag } from '../../../src/engine/planRecipe.js';
import type { RunEvent, SettledEvent, Task } from '../../../src/engine/state.js';
import type { RecipeNode, Status } from '../../../src/recipe/recipe.js';

const recipe: RecipeNode = {
  id: '',
  pointer: '',
  section: 'graph',
  action: 'none',
  onFail: 'stop',
  bindings: new Map(),
  fields: {},
};

export type NodeOptions = Partial<Omit<PlanNode, 'id' | 'recipe'>>;

export function node(id: string, options: NodeOptions = {}): PlanNode {
  return { id, next: { kind: 'none' }, onFail: 'stop', attempts: 1, recipe, ...options };
}

export const to = (id: string): Next => ({ kind: 'to', id });
export const end = (status: Status): Next => ({ kind: 'end', status });
export const cases = (targets: Record<string, string>): Next => ({ kind: 'cases', cases: new Map(Object.entries(targets)) });

export const walk = (...nodes: PlanNode[]): Walk => ({ kind: 'walk', entry: nodes[0]?.id ?? '', nodes: byId(nodes) });
export const side = (limit: number, ...nodes: PlanNode[]): All => ({
  kind: 'all',
  nodes: byId(nodes),
  inTurn: false,
  pipe: false,
  limit,
});
export const inTurn = (...nodes: PlanNode[]): All => ({ kind: 'all', nodes: byId(nodes), inTurn: true, pipe: false, limit: 9 });
export const pipe = (...nodes: PlanNode[]): All => ({ ...inTurn(...nodes), pipe: true });
export const each = (limit: number, child: PlanNode): Each => ({ kind: 'each', child, limit });

/** Edges are written `a > b`, or `a ? b` when they have a condition. */
export function dag(nodes: readonly PlanNode[], ...edges: string[]): Dag {
  const parsed = edges.map((edge) => {
    const [from = '', sign, to = ''] = edge.split(' ');
    return { from, to, conditional: sign === '?' };
  });
  return planDag(byId(nodes), parsed);
}

export const nodes = (ids: string): PlanNode[] => [...ids].map((id) => node(id));

export function play(region: Region, limits: Partial<Limits> = {}) {
  const state = beginRun(region, { ...defaultLimits, ...limits });
  const apply = (event: RunEvent) => lines(advanceRun(state, event));
  const endWith =
    (status: SettledEvent['status']) =>
    (path: string, more: Partial<SettledEvent> = {}) =>
      apply({ t: 'settled', path, status, ...more });
  return {
    start: () => apply({ t: 'start' }),
    stop: () => apply({ t: 'stop', reason: { code: 'run.interrupted', message: 'Someone pressed a key.' } }),
    enter: (path: string, items?: number) => apply({ t: 'entered', path, ...(items === undefined ? {} : { items }) }),
    pass: endWith('pass'),
    fail: endWith('fail'),
    unknown: endWith('unknown'),
    skip: endWith('skip'),
  };
}

function byId(nodes: readonly PlanNode[]): Map<string, PlanNode> {
  return new Map(nodes.map((one) => [one.id, one]));
}

function lines({ tasks, cancel, done }: Decision): string[] {
  const end = done ? [`done ${done.status}${done.reason ? `: ${done.reason.message}` : ''}`] : [];
  return [...tasks.map(line), ...cancel.map((path) => `cancel ${path}`), ...end];
}

function line(task: Task): string {
  const { path, input } = task.run;
  if (task.do === 'run') return input === undefined ? `run ${path}` : `run ${path} < ${input}`;
  return task.do === 'skip' ? `skip ${path}` : `finish ${path}: ${task.body}`;
}
