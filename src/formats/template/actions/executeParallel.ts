// Branches side by side, at most so many at a time, and what they come to together.
import { parseFailureScope, widestScope } from '../controls.js';
import { getBranchLabel } from '../model.js';
import type { ResolvedNode } from '../resolveNode.js';
import { type At, executeNode } from './executeNode.js';
import type { Execution } from './execution.js';
import { addReports, branchOf, emptyOutcome, forgotten, joinBranches, noteFailure, type Outcome } from './outcome.js';

type Group = Extract<ResolvedNode, { kind: 'group' }>;

export async function executeParallel(run: Execution, opened: Group, at: At): Promise<Outcome> {
  const made = run.compat ? await allAtOnce(run, opened, at) : await someAtATime(run, opened, at);
  const all = emptyOutcome();
  for (const outcome of made) {
    addReports(all, outcome);
    all.unforgiven.push(...outcome.unforgiven);
  }
  const branches = made.map((outcome, index) => branchOf(outcome, getBranchLabel(opened.steps[index]?.node ?? {}, index)));
  all.branches.push(...branches);
  const final = made.find((outcome, index) => outcome.code !== 0 && reachOf(opened, index, outcome) === 'root');
  if (final) return { ...final, ...reportsOf(all), scope: 'root' };
  const passed = made.map((outcome) => {
    noteFailure(all.failures, outcome);
    return outcome.code === 0 ? outcome : forgotten(outcome);
  });
  const stderr = Buffer.concat(passed.filter(({ stderr }) => stderr.length > 0).flatMap(separated));
  const joined = { ...all, killed: passed.some(({ killed }) => killed), stdout: joinBranches(branches, passed), stderr };
  return judge(opened, made, joined);
}

function reportsOf({ commands, failures, branches, unforgiven }: Outcome) {
  return { commands, failures, branches, unforgiven };
}

// Who counts successes does not end the run for one failure.
function reachOf({ steps, failure, quorum }: Group, index: number, { scope }: Outcome) {
  return widestScope(scope, parseFailureScope(steps[index]?.node.failure), quorum === undefined ? failure : undefined);
}

function separated({ stderr }: Outcome, index: number): Buffer[] {
  return index === 0 ? [stderr] : [Buffer.from('\n'), stderr];
}

function judge({ failure, quorum }: Group, made: readonly Outcome[], joined: Outcome): Outcome {
  const failed = made.find(({ code }) => code !== 0);
  // What was skipped is no success.
  const done = made.filter(
    ({ code, unforgiven, commands }) => code === 0 && unforgiven.length === 0 && commands.length > 0,
  ).length;
  if (quorum !== undefined && done >= quorum) return { ...joined, unforgiven: [] };
  if (quorum !== undefined) return { ...joined, code: failed?.code ?? 1, scope: failure };
  return failed && failure === 'branch' ? { ...joined, code: failed.code, scope: 'branch' } : joined;
}

function allAtOnce(run: Execution, { steps }: Group, at: At): Promise<Outcome[]> {
  return Promise.all(steps.map((step) => executeNode(run, step, { ...at, isRoot: false })));
}

// A failure that ends the run ends its neighbours too: nobody will look at what they do.
async function someAtATime(run: Execution, opened: Group, at: At): Promise<Outcome[]> {
  const stop = new AbortController();
  const inside: At = { ...at, isRoot: false, signal: AbortSignal.any([at.signal, stop.signal]) };
  const made: Outcome[] = [];
  const waiting = [...opened.steps.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, step] = next;
      const outcome = inside.signal.aborted ? notStarted() : await executeNode(run, step, inside);
      made[index] = outcome;
      if (outcome.code !== 0 && reachOf(opened, index, outcome) === 'root') stop.abort('a branch ended the run');
    }
  };
  await Promise.all(Array.from({ length: Math.min(opened.limit, opened.steps.length) }, work));
  return made;
}

function notStarted(): Outcome {
  const unforgiven = [{ argv: [], reason: 'the run was stopped before this branch began' }];
  return { ...emptyOutcome(), code: 1, killed: true, unforgiven };
}
