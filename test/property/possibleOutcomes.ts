// What can happen at all, whatever settles first: an estimate that may allow too much and never too little.
import type { Status } from '../../src/recipe/recipe.js';
import { worst } from './regionModel.js';
import { type Ending, endingAt, idAt, type Scope, type ScopeRegion } from './scope.js';

/** `may` start, `must` start unless the run is aborted, and how it can end. */
export type Possible = { may: Set<string>; must: Set<string>; statuses: Set<Status>; aborts: Set<Status> };

/** `cuts`: failures whose recovery an abort may cut short, so that they are neither tried again nor tolerated. */
type Node = { may: string[]; must: string[]; ends: Set<Ending>; stops: Set<Status>; aborts: Status[]; cuts: Status[] };

export function possible(region: ScopeRegion): Possible {
  const { may, must, ends, aborts, cuts } = regionNode(region, '');
  const statuses = new Set([...ends] as Status[]);
  for (const abort of aborts)
    for (const end of [...ends, ...cuts, 'pass', 'unknown'] as Status[]) statuses.add(worst(abort, end));
  return { may: new Set(may), must: new Set(must), statuses, aborts: new Set(aborts) };
}

function regionNode(region: ScopeRegion, prefix: string): Node {
  const isSide = region.kind === 'side' || region.kind === 'each';
  const children = region.children.map((child, index) => {
    if (region.kind === 'each') return scopeNode(region.children[0] as Scope, `${prefix}a[${index}]`);
    return scopeNode(child, `${prefix}${idAt(index)}`);
  });
  return isSide ? sideBySide(children, region.limit) : oneByOne(children, region);
}

function sideBySide(children: readonly Node[], limit: number): Node {
  const stops = new Set(children.flatMap((child) => [...child.stops]));
  const canPass = children.every((child) => canGoOn(child));
  const sure = stops.size === 0 ? children : children.slice(0, limit);
  return {
    may: children.flatMap((child) => child.may),
    must: sure.flatMap((child) => child.must),
    ends: new Set<Ending>([...stops, ...(canPass ? (['pass'] as const) : [])]),
    stops: new Set(),
    aborts: children.flatMap((child) => child.aborts),
    cuts: children.flatMap((child) => child.cuts),
  };
}

function oneByOne(children: readonly Node[], { kind, end }: ScopeRegion): Node {
  const node: Node = { may: [], must: [], ends: new Set(), stops: new Set(), aborts: [], cuts: [] };
  let isSure = true;
  for (const child of children) {
    node.may.push(...child.may);
    if (isSure) node.must.push(...child.must);
    node.aborts.push(...child.aborts);
    node.cuts.push(...child.cuts);
    for (const status of child.stops) node.ends.add(status);
    if (child.stops.size > 0) isSure = false;
    if (kind === 'chain' && child.ends.has('skip')) node.ends.add('pass');
    if (kind === 'chain' && child.ends.has('skip')) isSure = false;
    if (!canGoOn(child) || (kind === 'chain' && !child.ends.has('pass'))) return node;
  }
  if (kind !== 'walk' || children.at(-1)?.ends.has('pass')) node.ends.add(kind === 'walk' ? end : 'pass');
  if (kind === 'walk' && children.at(-1)?.ends.has('skip')) node.ends.add('unknown');
  return node;
}

function canGoOn({ ends }: Node): boolean {
  return ends.has('pass') || ends.has('skip');
}

// A tolerated failure leaves its region as a pass. A sibling may stop the region at any time, and then there is no other attempt.
function scopeNode(scope: Scope, name: string): Node {
  const node: Node = { may: [], must: [], ends: new Set(), stops: new Set(), aborts: [], cuts: [] };
  for (let attempt = 0; attempt < scope.attempts; attempt++) {
    const tried = attemptNode(scope, attempt === 0 ? name : `${name}@${attempt}`);
    node.may.push(...tried.may);
    node.aborts.push(...tried.aborts);
    node.cuts.push(...tried.cuts);
    if (attempt === 0) node.must.push(...tried.must);
    for (const ending of tried.ends) leave(node, scope, ending);
    if (!tried.ends.has('fail') && !tried.ends.has('unknown')) break;
    if (attempt + 1 === scope.attempts || !scope.recover) continue;
    node.may.push(`${attempt === 0 ? name : `${name}@${attempt}`}/fix`);
    for (const ending of tried.ends) if (ending === 'fail' || ending === 'unknown') node.cuts.push(ending);
    if (scope.recover === 'pass' || scope.recover === 'skip') continue;
    leave(node, scope, scope.recover);
    break;
  }
  return node;
}

function leave(node: Node, { onFail }: Scope, ending: Ending): void {
  const isFailure = ending === 'fail' || ending === 'unknown';
  if (!isFailure) node.ends.add(ending);
  else if (onFail === 'continue') node.ends.add('pass');
  else node.stops.add(ending);
  if (isFailure && onFail === 'abort') node.aborts.push(ending);
}

function attemptNode(scope: Scope, path: string): Node {
  const inner = scope.inside && !scope.isGated ? regionNode(scope.inside, `${path}/`) : undefined;
  const ending = scope.isGated ? 'skip' : endingAt(scope, path);
  const { may = [], must = [], ends = new Set([ending]), aborts = [], cuts = [] } = inner ?? {};
  return { may: [path, ...may], must: [path, ...must], ends, stops: new Set(), aborts, cuts };
}
