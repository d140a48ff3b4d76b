// Acts on what the words of a step mean: on the element that was chosen, as long as it is still that, and on no other.

import type { ActionContext } from '../../../actions/action.js';
import type { RecipeError } from '../../../evidence/failure.js';
import type { HeldTarget } from '../targets/holdTarget.js';
import { asFlowError, flowError } from './flowError.js';
import type { FlowRun } from './flowRun.js';
import { type Gesture, perform } from './perform.js';
import { type Asked, holdAgain, reResolve, type Taken } from './reResolve.js';
import { within } from './withPatience.js';

export type Named = { gesture: Gesture; target: string; pinned?: string };

/** `finds`: a selector for what was acted on. */
export type Acted = { output: Record<string, unknown>; finds: string };

/** How often a page may make something else of it just before it is acted on. */
const mostTries = 5;
const pauseMs = 250;
const answersMs = 1_000;

export async function byWords(flow: FlowRun, context: ActionContext, { gesture, target, pinned }: Named): Promise<Acted> {
  for (let tries = 1; ; tries++) {
    const asked: Asked = { target, does: gesture.does, pinned, mark: `target-${++flow.held}` };
    const taken = await reResolve(flow, context, asked);
    const { resolved, held } = taken;
    const { output, error, wasChanged } = await act(flow, context, { asked, taken, gesture });
    if (!wasChanged && !error) {
      const told = { ...output, target: resolved.selector, by: 'target', resolved };
      return { output: told, finds: held?.selector ?? resolved.selector };
    }
    if (!wasChanged || tries === mostTries || context.signal.aborted) throw notDone(taken, error);
  }
}

type Doing = { asked: Asked; taken: Taken; gesture: Gesture };
type Tried = { output?: object; error?: RecipeError };

/** `wasChanged`: the page made something else of it, which was not acted on. */
async function act(
  flow: FlowRun,
  context: ActionContext,
  { asked, taken: { held, resolved }, gesture }: Doing,
): Promise<Tried & { wasChanged: boolean }> {
  const acting: Promise<Tried> = perform(context, held?.selector ?? resolved.selector, gesture).then(
    (output) => ({ output }),
    (thrown: unknown) => ({ error: asFlowError(thrown) }),
  );
  if (!held) return { ...(await acting), wasChanged: false };
  const last = await keepHeld(flow, context, { asked, held, acting });
  const ending = last.end({ keepsMark: context.isSecret(gesture.value) });
  const tried = await acting;
  const told = (await within(answersMs, context, ending)) ?? last.firstRefused();
  return { ...tried, wasChanged: told ?? (!tried.error && isHeard(gesture)) };
}

/** A page hears of every click and key: when it is gone and said nothing of one, nobody knows that it was let through. */
function isHeard({ does }: Gesture): boolean {
  return does === 'click' || does === 'press';
}

type Keeping = { asked: Asked; held: HeldTarget; acting: Promise<unknown> };

/** A page that draws itself anew takes the element away; what is in its place, and means the same, gets its mark. */
async function keepHeld(flow: FlowRun, context: ActionContext, { asked, held, acting }: Keeping): Promise<HeldTarget> {
  let last = held;
  let isOver = false;
  const over = acting.then(() => {
    isOver = true;
  });
  const lookAgain = async (): Promise<void> => {
    if (!(await last.isLost()) || isOver) return;
    const next = await holdAgain(flow, context, { ...asked, after: last });
    // Nobody ends it any more: it would keep later clicks and keys from the page.
    if (isOver) await next?.end({ keepsMark: false });
    else last = next ?? last;
  };
  while (!isOver) {
    await within(pauseMs, context, over);
    // A page that cannot be asked is what the gesture itself tells of.
    if (!isOver) await Promise.race([over, lookAgain().catch(() => undefined)]);
  }
  return last;
}

function notDone({ resolved, held }: Taken, error: RecipeError | undefined): RecipeError {
  if (error && error.kind !== 'action') return error;
  const { target, is } = resolved;
  const said = error && (held ? error.message.replaceAll(held.selector, is) : error.message);
  const why =
    said === undefined ? 'the page made something else of it each time it was about to be' : `that could not be done: ${said}`;
  return flowError('spec_step_unresolvable', `${JSON.stringify(target)} was taken to be ${is}, and ${why}`, error);
}
