// Computes the expected outcome of a run by a plain recursion. Works when children run in sequence, or side by side without a limit.
import type { Status } from '../../src/recipe/recipe.js';
import { worst } from './regionModel.js';
import { type Ending, endingAt, idAt, type Scope, type ScopeRegion } from './scope.js';

/** The starts of nodes and the ends of bodies, in the order of a run in which nothing happens at the same time. */
export type ExpectedOutcome = { starts: string[]; bodies: string[]; status: Status };

type Recording = Omit<ExpectedOutcome, 'status'> & { aborted: Status | undefined };

/** How a child ended. `isStop`: a failure that stops the region. */
type ScopeResult = { ending: Ending; isStop: boolean };

export function computeOutcome(region: ScopeRegion): ExpectedOutcome {
  const recording: Recording = { starts: [], bodies: [], aborted: undefined };
  const status = recordRegion(recording, region, '');
  return { starts: recording.starts, bodies: recording.bodies, status };
}

function recordRegion(recording: Recording, region: ScopeRegion, prefix: string): Status {
  let status: Status = 'pass';
  let last: Ending = 'pass';
  for (const [index, child] of region.children.entries()) {
    const scope = region.kind === 'each' ? (region.children[0] as Scope) : child;
    const label = region.kind === 'each' ? `a[${index}]` : idAt(index);
    const result = recordScope(recording, scope, `${prefix}${label}`);
    if (recording.aborted) return recording.aborted;
    if (result.isStop) status = worst(status, result.ending as Status);
    if (result.isStop && !runsSideBySide(region)) return status;
    if (result.ending === 'skip' && region.kind === 'chain') return status;
    last = result.ending;
  }
  return region.kind === 'walk' ? worst(status, last === 'skip' ? 'unknown' : region.end) : status;
}

function runsSideBySide({ kind, limit }: ScopeRegion): boolean {
  return (kind === 'side' || kind === 'each') && limit > 1;
}

function recordScope(recording: Recording, scope: Scope, name: string): ScopeResult {
  let ending: Ending = 'pass';
  for (let attempt = 0; attempt < scope.attempts; attempt++) {
    const path = attempt === 0 ? name : `${name}@${attempt}`;
    ending = recordAttempt(recording, scope, path);
    if (recording.aborted || ending === 'pass' || ending === 'skip') return { ending, isStop: false };
    if (attempt + 1 === scope.attempts || !scope.recover) continue;
    recording.starts.push(`${path}/fix`);
    if (scope.recover === 'pass' || scope.recover === 'skip') continue;
    ending = worst(ending, scope.recover);
    break;
  }
  if (scope.onFail === 'abort') recording.aborted = ending as Status;
  return { ending, isStop: scope.onFail !== 'continue' };
}

function recordAttempt(recording: Recording, scope: Scope, path: string): Ending {
  recording.starts.push(path);
  if (scope.isSkipped) return 'skip';
  if (!scope.body) return endingAt(scope, path);
  const status = recordRegion(recording, scope.body, `${path}/`);
  recording.bodies.push(`${path} ${status}`);
  return status;
}
