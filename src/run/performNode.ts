// One node from its first journal line to its last, shown as one step of the host.
import { type Action, assertsIn } from '../actions/action.js';
import { andThen } from '../actions/settlePatterns.js';
import type { NodeObserver, ObservedNode } from '../browser/nodeObserver.js';
import { type RecipeError, toRecipeError } from '../evidence/recipeError.js';
import type { Recipe } from '../recipe/recipe.js';
import type { Conductor, Flight } from './conduct.js';
import type { HostStep } from './host.js';
import { lookAtState } from './lookAtState.js';
import { type Ending, fateOf, toEvent, writeBegin, writeEnd } from './nodeLines.js';
import { beginSeen, endSeen } from './onlooker.js';
import { type Prepared, prepareSoon } from './prepareNode.js';
import { runAction, type Work } from './runAction.js';

/** A node that is done at once gives no promise: its flight is over when this returns. */
export function performNode(conductor: Conductor, flight: Flight): void | Promise<void> {
  const { job } = conductor;
  const action = job.registry.get(flight.node.action);
  if (!action) throw new Error(`No action ${flight.node.action} is registered.`);
  const { when, unless, bindings } = flight.node;
  const looks = job.stateRefs.size > 0 && (when !== undefined || unless !== undefined || bindings.size > 0);
  const preparing = looks ? prepareLooking(conductor, flight, action) : prepareSoon(flight.node, action, flight.scope);
  return andThen(preparing, (prepared) => performPrepared(conductor, flight, { action, prepared }));
}

function performPrepared(conductor: Conductor, flight: Flight, work: Visit['work']): void | Promise<void> {
  const { job } = conductor;
  const { action, prepared } = work;
  const { skip, items, problem } = prepared;
  const fallible = !problem && countsAsTest(flight) && canFail(action, flight, job.loaded.compiled.recipe.flows, prepared.fields);
  const started = job.clock.now();
  if (!action.internal) conductor.run.begun = true;
  const info = writeBegin(conductor, flight, { skip, items: items?.length, refused: problem !== undefined, fallible });
  const visit: Visit = { started, work, follow: () => undefined };
  const { onlooker } = job;
  const shown = job.host.step(info, (step) =>
    onlooker ? inSight(conductor, flight, visit, { step, info, onlooker }) : inStep(conductor, flight, visit, step),
  );
  if (!(shown instanceof Promise)) return visit.follow();
  const follow = (): void => visit.follow();
  return shown.then(follow, (thrown) => {
    if (thrown !== visit.shown) throw thrown;
    follow();
  });
}

type Visit = {
  started: number;
  work: Omit<Work, 'step'>;
  isDoneAtOnce?: true;
  /** Starts what comes after it, once its step is over. */
  follow(): void;
  shown?: RecipeError;
};

function inStep(conductor: Conductor, flight: Flight, visit: Visit, step: HostStep): void | Promise<void> {
  flight.step = step;
  const ending = act(conductor, flight, visit, step);
  if (ending instanceof Promise) return ending.then((later) => endStep(conductor, flight, visit, later));
  visit.isDoneAtOnce = true;
  return endStep(conductor, flight, visit, ending);
}

function act(conductor: Conductor, flight: Flight, { work }: Visit, step: HostStep): Ending | Promise<Ending> {
  const { action, prepared } = work;
  return prepared.skip === undefined ? runAction(conductor, flight, { action, prepared, step }) : { skipped: true };
}

type InSight = { step: HostStep; info: ObservedNode; onlooker: NodeObserver };

function inSight(conductor: Conductor, flight: Flight, visit: Visit, { step, info, onlooker }: InSight): void | Promise<void> {
  flight.step = step;
  const ending = andThen(beginSeen(onlooker, info), (refused) => refused ?? act(conductor, flight, visit, step));
  const all = andThen(ending, (told) => {
    const fate = fateOf(flight.run, told);
    const final = fate === 'failed' || fate === 'stopped';
    return endSeen(conductor, { step, onlooker, node: info, ending: told, final });
  });
  return andThen(all, (told) => endStep(conductor, flight, visit, told));
}

function endStep(conductor: Conductor, flight: Flight, visit: Visit, ending: Ending): void | Promise<void> {
  const { job, tell } = conductor;
  conductor.run.files.lookAgain();
  const isLast = visit.isDoneAtOnce === true && conductor.inFlight() === 1;
  const line = writeEnd(conductor, flight, ending, { ms: job.clock.now() - visit.started, isLast });
  visit.follow = tell(toEvent(flight, ending)).go;
  blame(conductor, flight, ending);
  const sent = flight.step?.end(line);
  if (!ending.failure) return sent;
  visit.shown = ending.failure;
  return Promise.resolve(sent).then(() => Promise.reject(ending.failure));
}

async function prepareLooking({ job }: Conductor, flight: Flight, action: Action): Promise<Prepared> {
  const { when, unless, bindings } = flight.node;
  try {
    await lookAtState(job, flight, [when, unless, ...bindings.values()]);
  } catch (thrown) {
    return { fields: {}, problem: toRecipeError(thrown) };
  }
  return prepareSoon(flight.node, action, flight.scope);
}

function canFail(action: Action, { node }: Flight, flows: Recipe['flows'], fields: Readonly<Record<string, unknown>>): boolean {
  return node.assert !== undefined || assertsIn(action, node) || action.fallible?.(fields, flows) === true;
}

/** A node of a dag that no edge fired for: on record, but never run. */
export async function skipNode(conductor: Conductor, flight: Flight, reason: string): Promise<void> {
  const info = writeBegin(conductor, flight, { skip: reason });
  const line = writeEnd(conductor, flight, { skipped: true }, { ms: 0 });
  await conductor.job.host.step(info, (step) => step.end(line));
}

// A failure that is tolerated, here or around it, would not have changed the verdict; cleaning up tests nothing.
function countsAsTest({ run, parent }: Flight): boolean {
  const { onFail, pointer } = run.node.recipe;
  if (onFail === 'continue' || pointer.startsWith('/validate/workflow/teardown/')) return false;
  return parent === undefined || countsAsTest(parent);
}

// What a node failed of is what the node around it fails of.
function blame(conductor: Conductor, { run, parent, noted }: Flight, ending: Ending): void {
  const fate = fateOf(run, ending);
  const passedOn = ending.failure ? fate === 'failed' && run.node.recipe.onFail === 'note' && ending.failure : noted;
  if (parent && passedOn) parent.noted ??= passedOn;
  if (ending.failure && (fate === 'failed' || fate === 'stopped')) (parent ?? conductor).failure ??= ending.failure;
}
