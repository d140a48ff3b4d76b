// Nested regions in which every leaf has fixed endings, so that a test can compute the effects of each failure before the run.
import fc, { type Arbitrary } from 'fast-check';
import type { Next, PlanNode, Region } from '../../src/engine/plan.js';
import { planDag } from '../../src/engine/planRecipe.js';
import type { NodeRun, SettledEvent } from '../../src/engine/state.js';
import type { Status } from '../../src/recipe/recipe.js';
import { noRecipe, type OnFail } from './planSpec.js';

export type Ending = SettledEvent['status'];

/** A leaf has endings, which its attempts and items use in turn. A group has a body, and ends with the status of the body. */
export type Scope = {
  onFail: OnFail;
  attempts: number;
  recover: Ending | null;
  endings: Ending[];
  isSkipped: boolean;
  body: ScopeRegion | null;
};

/** `chain`: a dag that is a single chain. `each`: runs its first child once for each child. `end` is for walks only. */
export type ScopeRegion = { kind: 'walk' | 'turn' | 'chain' | 'side' | 'each'; children: Scope[]; end: Status; limit: number };

/** The region of the engine, and the scope of each of its nodes. */
export type BuiltScopes = { region: Region; scopes: Map<PlanNode, Scope> };

export type ScopeOptions = {
  onFail: Arbitrary<OnFail>;
  attempts: Arbitrary<number>;
  limit: Arbitrary<number>;
  kinds: ScopeRegion['kind'][];
};

const ending = fc.constantFrom<Ending[]>('pass', 'pass', 'pass', 'pass', 'fail', 'unknown', 'skip');
const recovery = fc.constantFrom<Ending[]>('pass', 'pass', 'skip', 'fail', 'unknown');
const end = fc.constantFrom<Status[]>('pass', 'pass', 'pass', 'fail', 'unknown');
const full = { depthSize: 'max', size: 'max' } as const;

export function scopeRegions(options: ScopeOptions, depth = 3): Arbitrary<ScopeRegion> {
  const children = fc.array(scopes(options, depth), { ...full, minLength: 1, maxLength: 4 });
  return fc.record({ kind: fc.constantFrom(...options.kinds), children, end, limit: options.limit }).map(withLeafAtEnd);
}

// The last node of a walk has no body, as in every recipe. A tolerated failure inside an end node would give two statuses.
function withLeafAtEnd(region: ScopeRegion): ScopeRegion {
  const last = region.children.at(-1);
  return region.kind === 'walk' && last
    ? { ...region, children: [...region.children.slice(0, -1), { ...last, body: null }] }
    : region;
}

function scopes(options: ScopeOptions, depth: number): Arbitrary<Scope> {
  const { onFail, attempts } = options;
  const leaf = fc.constant(null);
  const body = depth > 1 ? fc.oneof(full, leaf, scopeRegions(options, depth - 1)) : leaf;
  const recover = fc.oneof(full, leaf, recovery);
  const isSkipped = fc.nat(7).map((chance) => chance === 7);
  return fc.record({ onFail, attempts, recover, endings: fc.array(ending, { minLength: 1, maxLength: 4 }), isSkipped, body });
}

export function endingAt({ endings }: Scope, path: string): Ending {
  const sum = [...path.matchAll(/[[@](\d+)/g)].reduce((total, [, digits]) => total + Number(digits), 0);
  return endings[sum % endings.length] ?? 'pass';
}

export const idAt = (index: number): string => 'abcdefgh'.charAt(index);

export function buildScopes(spec: ScopeRegion, scopes = new Map<PlanNode, Scope>()): BuiltScopes {
  const last = spec.children.length - 1;
  const nodes = spec.children.map((scope, index) =>
    buildScope(scope, { id: idAt(index), next: nextOf(spec, index, last) }, scopes),
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return { region: buildRegion(spec, byId), scopes };
}

function buildRegion({ kind, limit }: ScopeRegion, nodes: Map<string, PlanNode>): Region {
  const ids = [...nodes.keys()];
  if (kind === 'walk') return { kind: 'walk', entry: 'a', nodes };
  if (kind === 'each') return { kind: 'each', child: nodes.get('a') as PlanNode, limit };
  const edges = ids.slice(1).map((to, index) => ({ from: idAt(index), to, conditional: false }));
  if (kind === 'chain') return planDag(nodes, edges);
  return { kind: 'all', nodes, inTurn: kind === 'turn', pipe: false, limit: kind === 'turn' ? ids.length : limit };
}

function nextOf({ kind, end: status }: ScopeRegion, index: number, last: number): Next {
  if (kind !== 'walk') return { kind: 'none' };
  return index === last ? { kind: 'end', status } : { kind: 'to', id: idAt(index + 1) };
}

function buildScope(scope: Scope, place: { id: string; next: Next }, scopes: Map<PlanNode, Scope>): PlanNode {
  const { onFail, attempts } = scope;
  const node: PlanNode = { ...place, onFail, attempts, recipe: noRecipe };
  if (scope.body) node.body = buildScopes(scope.body, scopes).region;
  if (scope.recover) {
    // The engine runs a recovery once and ignores its `onFail`, so these values must have no effect.
    const helper: Scope = { onFail: 'abort', attempts: 3, recover: null, endings: [scope.recover], isSkipped: false, body: null };
    node.recover = buildScope(helper, { id: 'fix', next: { kind: 'none' } }, scopes);
  }
  scopes.set(node, scope);
  return node;
}

/** Returns the number of items of a node whose body is an `each`. */
export function itemsOf(scope: Scope): number {
  return scope.body?.children.length ?? 0;
}

export function scopeOf({ scopes }: BuiltScopes, { node }: NodeRun): Scope {
  const scope = scopes.get(node);
  if (!scope) throw new Error(`Node ${node.id} has no scope.`);
  return scope;
}
