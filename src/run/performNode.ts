// One node from its first journal line to its last, shown as one step of the host.
import type { Action } from '../actions/action.js';
import type { RecipeNode } from '../dialects/recipe.js';
import { present } from '../document/present.js';
import { failureTable, type RecipeError } from '../evidence/failure.js';
import type { Artifact, Assert } from '../evidence/journal.js';
import { targetOf } from '../graph/walk.js';
import type { Conductor, Flight } from './conduct.js';
import type { StepInfo } from './host.js';
import { phaseOf, recordOf } from './phase.js';
import { prepareNode } from './prepareNode.js';
import { runAction } from './runAction.js';

/** How a node ended. */
export type Ending = {
  skipped?: true;
  failure?: RecipeError;
  output?: unknown;
  asserts?: readonly Assert[];
  artifacts?: readonly Artifact[];
  case?: string;
  fired?: readonly number[];
};

export async function performNode(conductor: Conductor, flight: Flight): Promise<void> {
  const { job, tell } = conductor;
  const { node } = flight;
  const action = actionOf(conductor, node);
  const prepared = prepareNode(node, action, flight.scope);
  const started = job.clock.now();
  const info = begin(conductor, flight, {
    skip: prepared.skip,
    items: prepared.items?.length,
    refused: prepared.problem && true,
    fallible: !prepared.problem && countsAsTest(flight) && action.fallible?.(prepared.fields),
  });
  let follow = (): void => undefined;
  let shown: RecipeError | undefined;
  try {
    await job.host.step(info, async (step) => {
      flight.step = step;
      const ending: Ending =
        prepared.skip === undefined ? await runAction(conductor, flight, { node, action, prepared, step }) : { skipped: true };
      const line = end(conductor, flight, ending, job.clock.now() - started);
      follow = tell({
        t: 'settled',
        path: flight.run.path,
        status: statusOf(ending),
        ...present({ case: ending.case, fired: ending.fired }),
      }).go;
      await step.end(line);
      shown = ending.failure;
      if (shown) throw shown;
    });
  } catch (thrown) {
    if (thrown !== shown) throw thrown;
  }
  follow();
}

// A failure that is tolerated, here or around it, would not have changed the verdict; cleaning up tests nothing.
function countsAsTest({ run, parent }: Flight): boolean {
  const { onFail, pointer } = run.node.recipe;
  if (onFail === 'continue' || pointer.startsWith('/validate/workflow/teardown/')) return false;
  return parent === undefined || countsAsTest(parent);
}

/** A node of a dag that no edge fired for: on record, but never run. */
export async function skipNode(conductor: Conductor, flight: Flight, reason: string): Promise<void> {
  const info = begin(conductor, flight, { skip: reason });
  const line = end(conductor, flight, { skipped: true }, 0);
  await conductor.job.host.step(info, (step) => step.end(line));
}

type Opening = {
  skip?: string | undefined;
  items?: number | undefined;
  refused?: true | undefined;
  fallible?: boolean | undefined;
};

function begin({ job }: Conductor, flight: Flight, { skip, items, refused, fallible }: Opening): StepInfo {
  const { path, visit, attempt } = flight.run;
  const { node } = flight;
  const action = job.registry.get(node.action);
  const phase = action && phaseOf(node, action);
  const decision = skip !== undefined || items !== undefined || refused ? present({ skip, items, refused }) : undefined;
  const facts = {
    intent: node.intent,
    phase,
    record: recordOf(node, phase),
    proofTarget: node.proofTarget,
    fallible: fallible || undefined,
    decision,
  };
  const line = job.journal.write({ t: 'begin', path, visit, attempt, action: node.action, ...(present(facts) as object) });
  const place = job.loaded.compiled.origin(node.pointer);
  return {
    title: node.intent ?? titleOf(flight),
    subtitle: `${path} · ${node.action}`,
    place,
    begin: line,
    ...present({ skip }),
  };
}

function end(conductor: Conductor, { run, parent }: Flight, ending: Ending, ms: number): string {
  const { path, visit, attempt, node } = run;
  const { failure, skipped, output, asserts, artifacts } = ending;
  const followed = failure && node.recipe.onFail !== 'continue' ? undefined : targetOf(node.next, ending);
  const error = failure && { code: failure.code, message: failure.message, cause_class: failureTable[failure.kind].cause };
  const again = failure !== undefined && attempt + 1 < node.attempts;
  const decision =
    ending.case !== undefined || ending.fired
      ? present({ case: ending.case, fired: ending.fired && [...ending.fired] })
      : undefined;
  if (failure && !again && node.recipe.onFail !== 'continue') blame(parent ?? conductor, failure);
  return conductor.job.journal.write({
    ...{ t: 'end', path, visit, attempt, ms: Math.max(0, Math.round(ms)), ok: failure === undefined },
    ...(again ? { retried: true } : failure && node.recipe.onFail === 'continue' ? { tolerated: true } : {}),
    ...present({
      status: !failure && !skipped && node.next.kind === 'end' ? node.next.status : undefined,
      next: followed,
      decision,
    }),
    ...present({ asserts: asserts && [...asserts], output, artifacts: artifacts && [...artifacts], error }),
  });
}

function blame(around: { failure?: RecipeError }, failure: RecipeError): void {
  around.failure ??= failure;
}

function statusOf({ failure, skipped }: Ending): 'pass' | 'skip' | 'fail' | 'unknown' {
  if (failure) return failureTable[failure.kind].status;
  return skipped ? 'skip' : 'pass';
}

function titleOf({ run: { node, path } }: Flight): string {
  return node.next.kind === 'end' ? `End: ${node.next.status}` : `${node.recipe.action} ${path}`;
}

function actionOf({ job }: Conductor, node: RecipeNode): Action {
  const action = job.registry.get(node.action);
  if (!action) throw new Error(`No action ${node.action} is registered.`);
  return action;
}
