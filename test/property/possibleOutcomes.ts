// Estimates the possible outcomes of a run, in any order of ends. The estimate may allow too much, but never too little.
import type { Status } from '../../src/recipe/recipe.js';
import { worst } from './regionModel.js';
import { type Ending, endingAt, idAt, type Scope, type ScopeRegion } from './scope.js';

/** `may`: nodes that may start. `must`: nodes that start unless the run is aborted. `statuses`: how the run can end. */
export type PossibleOutcomes = { may: Set<string>; must: Set<string>; statuses: Set<Status>; aborts: Set<Status> };

/** `cuts`: failures whose recovery an abort may interrupt, so that they are neither retried nor tolerated. */
type Estimate = { may: string[]; must: string[]; ends: Set<Ending>; stops: Set<Status>; aborts: Status[]; cuts: Status[] };

export function findPossibleOutcomes(region: ScopeRegion): PossibleOutcomes {
  const { may, must, ends, aborts, cuts } = estimateRegion(region, '');
  const statuses = new Set([...ends] as Status[]);
  for (const abort of aborts)
    for (const end of [...ends, ...cuts, 'pass', 'unknown'] as Status[]) statuses.add(worst(abort, end));
  return { may: new Set(may), must: new Set(must), statuses, aborts: new Set(aborts) };
}

function estimateRegion(region: ScopeRegion, prefix: string): Estimate {
  const isSide = region.kind === 'side' || region.kind === 'each';
  const children = region.children.map((child, index) => {
    if (region.kind === 'each') return estimateScope(region.children[0] as Scope, `${prefix}a[${index}]`);
    return estimateScope(child, `${prefix}${idAt(index)}`);
  });
  return isSide ? estimateSideBySide(children, region.limit) : estimateInSequence(children, region);
}

function estimateSideBySide(children: readonly Estimate[], limit: number): Estimate {
  const stops = new Set(children.flatMap((child) => [...child.stops]));
  const canPass = children.every((child) => canContinue(child));
  const certain = stops.size === 0 ? children : children.slice(0, limit);
  return {
    may: children.flatMap((child) => child.may),
    must: certain.flatMap((child) => child.must),
    ends: new Set<Ending>([...stops, ...(canPass ? (['pass'] as const) : [])]),
    stops: new Set(),
    aborts: children.flatMap((child) => child.aborts),
    cuts: children.flatMap((child) => child.cuts),
  };
}

function estimateInSequence(children: readonly Estimate[], { kind, end }: ScopeRegion): Estimate {
  const estimate: Estimate = { may: [], must: [], ends: new Set(), stops: new Set(), aborts: [], cuts: [] };
  let isCertain = true;
  for (const child of children) {
    estimate.may.push(...child.may);
    if (isCertain) estimate.must.push(...child.must);
    estimate.aborts.push(...child.aborts);
    estimate.cuts.push(...child.cuts);
    for (const status of child.stops) estimate.ends.add(status);
    if (child.stops.size > 0) isCertain = false;
    if (kind === 'chain' && child.ends.has('skip')) estimate.ends.add('pass');
    if (kind === 'chain' && child.ends.has('skip')) isCertain = false;
    if (!canContinue(child) || (kind === 'chain' && !child.ends.has('pass'))) return estimate;
  }
  if (kind !== 'walk' || children.at(-1)?.ends.has('pass')) estimate.ends.add(kind === 'walk' ? end : 'pass');
  if (kind === 'walk' && children.at(-1)?.ends.has('skip')) estimate.ends.add('unknown');
  return estimate;
}

function canContinue({ ends }: Estimate): boolean {
  return ends.has('pass') || ends.has('skip');
}

// A tolerated failure counts as a pass of its region. A sibling may stop the region at any time, and then no further attempt starts.
function estimateScope(scope: Scope, name: string): Estimate {
  const estimate: Estimate = { may: [], must: [], ends: new Set(), stops: new Set(), aborts: [], cuts: [] };
  for (let attempt = 0; attempt < scope.attempts; attempt++) {
    const attemptEstimate = estimateAttempt(scope, attempt === 0 ? name : `${name}@${attempt}`);
    estimate.may.push(...attemptEstimate.may);
    estimate.aborts.push(...attemptEstimate.aborts);
    estimate.cuts.push(...attemptEstimate.cuts);
    if (attempt === 0) estimate.must.push(...attemptEstimate.must);
    for (const ending of attemptEstimate.ends) addEnding(estimate, scope, ending);
    if (!attemptEstimate.ends.has('fail') && !attemptEstimate.ends.has('unknown')) break;
    if (attempt + 1 === scope.attempts || !scope.recover) continue;
    estimate.may.push(`${attempt === 0 ? name : `${name}@${attempt}`}/fix`);
    for (const ending of attemptEstimate.ends) if (ending === 'fail' || ending === 'unknown') estimate.cuts.push(ending);
    if (scope.recover === 'pass' || scope.recover === 'skip') continue;
    addEnding(estimate, scope, scope.recover);
    break;
  }
  return estimate;
}

function addEnding(estimate: Estimate, { onFail }: Scope, ending: Ending): void {
  const isFailure = ending === 'fail' || ending === 'unknown';
  if (!isFailure) estimate.ends.add(ending);
  else if (onFail === 'continue') estimate.ends.add('pass');
  else estimate.stops.add(ending);
  if (isFailure && onFail === 'abort') estimate.aborts.push(ending);
}

function estimateAttempt(scope: Scope, path: string): Estimate {
  const inner = scope.body && !scope.isSkipped ? estimateRegion(scope.body, `${path}/`) : undefined;
  const ending = scope.isSkipped ? 'skip' : endingAt(scope, path);
  const { may = [], must = [], ends = new Set([ending]), aborts = [], cuts = [] } = inner ?? {};
  return { may: [path, ...may], must: [path, ...must], ends, stops: new Set(), aborts, cuts };
}
