// The two journal lines of a node: what is known before it begins, and what came of it.

import type { Noticed } from '../actions/action.js';
import { present } from '../document/present.js';
import { oneLine } from '../document/printFinding.js';
import { failureTable, type RecipeError } from '../evidence/failure.js';
import type { Artifact, Assert } from '../evidence/journal.js';
import type { Settled } from '../graph/state.js';
import { targetOf } from '../graph/walk.js';
import type { Conductor, Flight } from './conduct.js';
import type { StepInfo } from './host.js';
import { phaseOf, recordOf } from './phase.js';

/** What was decided before a node began. */
export type Opening = { skip?: string | undefined; items?: number | undefined; refused?: boolean; fallible?: boolean };

/** How a node ended. */
export type Ending = {
  skipped?: true;
  failure?: RecipeError;
  output?: unknown;
  asserts?: readonly Assert[];
  artifacts?: readonly Artifact[];
  issues?: readonly Noticed[];
  case?: string;
  fired?: readonly number[];
};

export function writeBegin({ job }: Conductor, flight: Flight, opening: Opening): StepInfo {
  const { run, node } = flight;
  const { flows } = job.loaded.compiled.recipe;
  const { path, visit, attempt } = run;
  const { skip, items } = opening;
  const action = job.registry.get(node.action);
  // What says nothing of itself belongs to what the node around it is for.
  const phase = (action && phaseOf(node, action, flows)) ?? flight.parent?.phase;
  if (phase) flight.phase = phase;
  const decision = present({ skip, items, refused: opening.refused || undefined });
  const facts = {
    ...{
      intent: node.intent,
      phase,
      record: recordOf(node, phase, flows),
      proofTarget: node.proofTarget,
      proves: node.proves && [...node.proves],
    },
    ...{ fallible: opening.fallible || undefined, decision: Object.keys(decision).length > 0 ? decision : undefined },
  };
  const begin = job.journal.write({ t: 'begin', path, visit, attempt, action: node.action, ...(present(facts) as object) });
  const title = node.intent ?? (run.node.next.kind === 'end' ? `End: ${run.node.next.status}` : path);
  return {
    title: oneLine(title),
    subtitle: `${path} · ${node.action}`,
    place: job.loaded.compiled.origin(node.pointer),
    begin,
    opens: run.node.body !== undefined,
    ...present({ skip }),
  };
}

export function writeEnd({ job }: Conductor, { run }: Flight, ending: Ending, ms: number): string {
  const { path, visit, attempt, node } = run;
  const { failure, output, asserts, artifacts, issues } = ending;
  const fate = fateOf(run, ending);
  const goesOn = fate === 'passed' || fate === 'skipped' || fate === 'tolerated';
  const decision = present({ case: ending.case, fired: ending.fired && [...ending.fired] });
  return job.journal.write({
    ...{ t: 'end', path, visit, attempt, ms: Math.max(0, Math.round(ms)), ok: failure === undefined },
    ...(fate === 'retried'
      ? { retried: true }
      : fate === 'tolerated'
        ? { tolerated: true }
        : fate === 'stopped'
          ? { final: true }
          : {}),
    ...present({ status: fate === 'passed' && node.next.kind === 'end' ? node.next.status : undefined }),
    ...present({ next: goesOn ? targetOf(node.next, ending) : undefined, asserts: asserts && [...asserts], output }),
    ...(Object.keys(decision).length > 0 ? { decision } : {}),
    ...present({ artifacts: artifacts && [...artifacts], issues: issues && [...issues], error: failure && errorOf(failure) }),
  });
}

export type Fate = 'passed' | 'skipped' | 'stopped' | 'retried' | 'tolerated' | 'failed';

/** What becomes of a node that ended so; the engine comes to the same conclusion from the event. */
export function fateOf({ node, attempt }: Flight['run'], { failure, skipped }: Ending): Fate {
  if (!failure) return skipped ? 'skipped' : 'passed';
  if (failure.kind === 'interrupted') return 'stopped';
  if (attempt + 1 < node.attempts) return 'retried';
  return node.recipe.onFail === 'continue' ? 'tolerated' : 'failed';
}

export function toEvent({ run }: Flight, ending: Ending): Settled {
  const { failure, skipped } = ending;
  const status = failure ? failureTable[failure.kind].status : skipped ? 'skip' : 'pass';
  const final = fateOf(run, ending) === 'stopped' || undefined;
  return { t: 'settled', path: run.path, status, ...present({ case: ending.case, fired: ending.fired, final }) };
}

function errorOf({ code, message, kind }: RecipeError) {
  return { code, message, cause_class: failureTable[kind].cause };
}
