// Nested regions in which every leaf has a fixed fate: who fails is known beforehand, so what a failure does can be foretold.
import fc, { type Arbitrary } from 'fast-check';
import type { Next, PlanNode, Region } from '../../src/engine/plan.js';
import { planDag } from '../../src/engine/planRecipe.js';
import type { NodeRun, SettledEvent } from '../../src/engine/state.js';
import type { Status } from '../../src/recipe/recipe.js';
import { noRecipe, type OnFail } from './planSpec.js';

export type Ending = SettledEvent['status'];

/** A leaf has endings, one for each attempt and item in turn; a group has what is inside and ends like that. */
export type Scope = {
  onFail: OnFail;
  attempts: number;
  recover: Ending | null;
  endings: Ending[];
  isGated: boolean;
  inside: ScopeRegion | null;
};

/** `chain` is a dag of one line. `each` runs its first child once per child. Only a walk has an end. */
export type ScopeRegion = { kind: 'walk' | 'turn' | 'chain' | 'side' | 'each'; children: Scope[]; end: Status; limit: number };

/** The same nodes at the same places, and which scope a node was made of. */
export type Built = { region: Region; scopes: Map<PlanNode, Scope> };

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

// As in every recipe. A failure inside an end that is tolerated would have two verdicts.
function withLeafAtEnd(region: ScopeRegion): ScopeRegion {
  const last = region.children.at(-1);
  return region.kind === 'walk' && last
    ? { ...region, children: [...region.children.slice(0, -1), { ...last, inside: null }] }
    : region;
}

function scopes(options: ScopeOptions, depth: number): Arbitrary<Scope> {
  const { onFail, attempts } = options;
  const leaf = fc.constant(null);
  const inside = depth > 1 ? fc.oneof(full, leaf, scopeRegions(options, depth - 1)) : leaf;
  const recover = fc.oneof(full, leaf, recovery);
  const isGated = fc.nat(7).map((chance) => chance === 7);
  return fc.record({ onFail, attempts, recover, endings: fc.array(ending, { minLength: 1, maxLength: 4 }), isGated, inside });
}

export function endingAt({ endings }: Scope, path: string): Ending {
  const sum = [...path.matchAll(/[[@](\d+)/g)].reduce((total, [, digits]) => total + Number(digits), 0);
  return endings[sum % endings.length] ?? 'pass';
}

export const idAt = (index: number): string => 'abcdefgh'.charAt(index);

export function buildScopes(given: ScopeRegion, scopes = new Map<PlanNode, Scope>()): Built {
  const last = given.children.length - 1;
  const nodes = given.children.map((scope, index) =>
    buildScope(scope, { id: idAt(index), next: nextOf(given, index, last) }, scopes),
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return { region: buildRegion(given, byId), scopes };
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
  if (scope.inside) node.body = buildScopes(scope.inside, scopes).region;
  if (scope.recover) {
    // A recovery is tried once and aborts nothing, whatever is written on it.
    const helper: Scope = { onFail: 'abort', attempts: 3, recover: null, endings: [scope.recover], isGated: false, inside: null };
    node.recover = buildScope(helper, { id: 'fix', next: { kind: 'none' } }, scopes);
  }
  scopes.set(node, scope);
  return node;
}

/** The number of items when the node is an `each`. */
export function itemsOf(scope: Scope): number {
  return scope.inside?.children.length ?? 0;
}

export function scopeOf({ scopes }: Built, { node }: NodeRun): Scope {
  const scope = scopes.get(node);
  if (!scope) throw new Error(`Node ${node.id} was not made of a scope.`);
  return scope;
}
