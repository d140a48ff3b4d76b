// What must happen when regions run one child after the other, or side by side with nothing to hold a child back: a plain recursion.
import type { Status } from '../../src/recipe/recipe.js';
import { worst } from './regionModel.js';
import { type Ending, endingAt, idAt, type Scope, type ScopeRegion } from './scope.js';

/** Starts and ends of bodies in the order in which they come when one thing happens at a time. */
export type Foretold = { starts: string[]; bodies: string[]; status: Status };

type Tale = Omit<Foretold, 'status'> & { aborted: Status | undefined };

/** How a child leaves its region: `stop` is a failure that is not tolerated. */
type Leaving = { ending: Ending; isStop: boolean };

export function foretell(region: ScopeRegion): Foretold {
  const tale: Tale = { starts: [], bodies: [], aborted: undefined };
  const status = tellRegion(tale, region, '');
  return { starts: tale.starts, bodies: tale.bodies, status };
}

function tellRegion(tale: Tale, region: ScopeRegion, prefix: string): Status {
  let status: Status = 'pass';
  let last: Ending = 'pass';
  for (const [index, child] of region.children.entries()) {
    const scope = region.kind === 'each' ? (region.children[0] as Scope) : child;
    const label = region.kind === 'each' ? `a[${index}]` : idAt(index);
    const leaving = tellScope(tale, scope, `${prefix}${label}`);
    if (tale.aborted) return tale.aborted;
    if (leaving.isStop) status = worst(status, leaving.ending as Status);
    if (leaving.isStop && !isWide(region)) return status;
    if (leaving.ending === 'skip' && region.kind === 'chain') return status;
    last = leaving.ending;
  }
  return region.kind === 'walk' ? worst(status, last === 'skip' ? 'unknown' : region.end) : status;
}

function isWide({ kind, limit }: ScopeRegion): boolean {
  return (kind === 'side' || kind === 'each') && limit > 1;
}

function tellScope(tale: Tale, scope: Scope, name: string): Leaving {
  let ending: Ending = 'pass';
  for (let attempt = 0; attempt < scope.attempts; attempt++) {
    const path = attempt === 0 ? name : `${name}@${attempt}`;
    ending = tellAttempt(tale, scope, path);
    if (tale.aborted || ending === 'pass' || ending === 'skip') return { ending, isStop: false };
    if (attempt + 1 === scope.attempts || !scope.recover) continue;
    tale.starts.push(`${path}/fix`);
    if (scope.recover === 'pass' || scope.recover === 'skip') continue;
    ending = worst(ending, scope.recover);
    break;
  }
  if (scope.onFail === 'abort') tale.aborted = ending as Status;
  return { ending, isStop: scope.onFail !== 'continue' };
}

function tellAttempt(tale: Tale, scope: Scope, path: string): Ending {
  tale.starts.push(path);
  if (scope.isGated) return 'skip';
  if (!scope.inside) return endingAt(scope, path);
  const status = tellRegion(tale, scope.inside, `${path}/`);
  tale.bodies.push(`${path} ${status}`);
  return status;
}
