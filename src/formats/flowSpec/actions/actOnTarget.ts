// Acts on what the words of a step mean: on the element that was chosen, as long as it is still that, and on no other.
import type { ActionContext } from '../../../actions/action.js';
import { pause } from '../../../actions/pause.js';
import { withPageErrors } from '../../../actions/ui/withPageErrors.js';
import type { RecipeError } from '../../../evidence/recipeError.js';
import { createFlowError, toFlowError } from '../failureClass.js';
import type { FlowRun } from '../run/flowRun.js';
import { maskText } from '../run/flowText.js';
import { resolverFixture } from '../run/resolverQuota.js';
import { waitAtMost } from '../run/runStep.js';
import type { TargetResolver } from '../settings.js';
import { type HeldTarget, holdTarget } from '../targets/holdTarget.js';
import {
  type Candidate,
  chooseCandidate,
  describeCandidate,
  findCandidates,
  type Resolution,
  selectorOf,
} from '../targets/resolveTarget.js';
import { type Gesture, performGesture } from './performGesture.js';

type TargetGesture = { gesture: Gesture; target: string; pinned?: string };

/** `finds`: a selector for what was acted on. */
export type ActOutcome = { output: Record<string, unknown>; actedSelector: string };

/** How often a page may make something else of it just before it is acted on. */
const maxAttempts = 5;
const pollMs = 250;
const releaseTimeoutMs = 1_000;

export async function actOnTarget(
  flow: FlowRun,
  context: ActionContext,
  { gesture, target, pinned }: TargetGesture,
): Promise<ActOutcome> {
  for (let tries = 1; ; tries++) {
    const request: TargetRequest = { target, does: gesture.does, pinned, mark: `target-${++flow.holdCount}` };
    const resolvedTarget = await resolveStepTarget(flow, context, request);
    const { resolved, held } = resolvedTarget;
    const { output, error, wasChanged } = await tryGesture(flow, context, { request, resolvedTarget, gesture });
    if (!wasChanged && !error) {
      const actOutput = { ...output, target: resolved.selector, by: 'target', resolved };
      return { output: actOutput, actedSelector: held?.selector ?? resolved.selector };
    }
    if (!wasChanged || tries === maxAttempts || context.signal.aborted) throw createActError(resolvedTarget, error);
  }
}

type GestureAttempt = { request: TargetRequest; resolvedTarget: ResolvedTarget; gesture: Gesture };
type GestureResult = { output?: object; error?: RecipeError };

/** `wasChanged`: the page made something else of it, which was not acted on. */
async function tryGesture(
  flow: FlowRun,
  context: ActionContext,
  { request, resolvedTarget: { held, resolved }, gesture }: GestureAttempt,
): Promise<GestureResult & { wasChanged: boolean }> {
  const acting: Promise<GestureResult> = performGesture(context, held?.selector ?? resolved.selector, gesture).then(
    (output) => ({ output }),
    (thrown: unknown) => ({ error: toFlowError(thrown) }),
  );
  if (!held) return { ...(await acting), wasChanged: false };
  const last = await followHeldElement(flow, context, { request, held, acting });
  const ending = last.end({ keepsMark: context.isSecret(gesture.value) });
  const result = await acting;
  const wasRefused = (await waitAtMost(releaseTimeoutMs, context, ending)) ?? last.firstRefused();
  return { ...result, wasChanged: wasRefused ?? (!result.error && isSeenByPage(gesture)) };
}

/** A page hears of every click and key: when it is gone and said nothing of one, nobody knows that it was let through. */
function isSeenByPage({ does }: Gesture): boolean {
  return does === 'click' || does === 'press';
}

type HeldGesture = { request: TargetRequest; held: HeldTarget; acting: Promise<unknown> };

/** A page that draws itself anew takes the element away; what is in its place, and means the same, gets its mark. */
async function followHeldElement(
  flow: FlowRun,
  context: ActionContext,
  { request, held, acting }: HeldGesture,
): Promise<HeldTarget> {
  let last = held;
  let isOver = false;
  const over = acting.then(() => {
    isOver = true;
  });
  const lookAgain = async (): Promise<void> => {
    if (!(await last.isLost()) || isOver) return;
    const next = await holdReplacement(flow, context, { ...request, after: last });
    // Nobody ends it any more: it would keep later clicks and keys from the page.
    if (isOver) await next?.end({ keepsMark: false });
    else last = next ?? last;
  };
  while (!isOver) {
    await waitAtMost(pollMs, context, over);
    // A page that cannot be asked is what the gesture itself tells of.
    if (!isOver) await Promise.race([over, lookAgain().catch(() => undefined)]);
  }
  return last;
}

function createActError({ resolved, held }: ResolvedTarget, error: RecipeError | undefined): RecipeError {
  if (error && error.kind !== 'action') return error;
  const { target, is } = resolved;
  const reason = error && (held ? error.message.replaceAll(held.selector, is) : error.message);
  const why =
    reason === undefined
      ? 'the page made something else of it each time it was about to be'
      : `that could not be done: ${reason}`;
  return createFlowError('spec_step_unresolvable', `${JSON.stringify(target)} was taken to be ${is}, and ${why}`, error);
}

// Finds again what a step means, by its description: first by the page alone, then by what the project plugged in.

/** For the record. */
type ResolutionRecord = {
  target: string;
  /** Where it was. */
  selector: string;
  is: string;
  why: string;
  by: 'page' | 'resolver';
  candidates: string[];
};

/** `held`: unless the project's resolver says by a selector of its own what is meant. */
type ResolvedTarget = { resolved: ResolutionRecord; held?: HeldTarget };

/** `mark`: by which the element is held. */
type TargetRequest = { target: string; does: string; pinned: string | undefined; mark: string };

const resolvePollMs = 250;
/** How long a page may take to show what is meant. */
const resolveTimeoutMs = 5_000;

async function resolveStepTarget(flow: FlowRun, context: ActionContext, request: TargetRequest): Promise<ResolvedTarget> {
  const until = context.clock.now() + Math.min(resolveTimeoutMs, context.remainingMs() / 2);
  for (;;) {
    const lookup = await lookUpTarget(flow, context, request);
    const { resolution } = lookup;
    const held = resolution.found && (await holdCandidate(flow, context, { ...request, ...resolution.chosen }));
    if (held) return { held, resolved: toResolutionRecord(request, resolution) };
    const isOver = context.clock.now() + resolvePollMs > until || context.signal.aborted;
    if (isOver) return askResolver(flow, context, { ...request, ...lookup });
    await pause(context, resolvePollMs);
  }
}

type ReplacementRequest = TargetRequest & { after: HeldTarget };

/** Looks once: for when the element that was held is gone, and another one may have come in its place. */
async function holdReplacement(
  flow: FlowRun,
  context: ActionContext,
  request: ReplacementRequest,
): Promise<HeldTarget | undefined> {
  const { resolution } = await lookUpTarget(flow, context, request);
  return resolution.found ? holdCandidate(flow, context, { ...request, ...resolution.chosen }) : undefined;
}

type TargetLookup = { resolution: Resolution; all: Candidate[] };

async function lookUpTarget(flow: FlowRun, context: ActionContext, { target, does }: TargetRequest): Promise<TargetLookup> {
  const page = flow.page(context);
  const all = await withPageErrors(() => findCandidates(page, { isFill: does === 'fill', call: context.call }), context);
  return { resolution: chooseCandidate(all, target), all };
}

type ChosenCandidate = TargetRequest & { candidate: Candidate; after?: HeldTarget };

function holdCandidate(
  flow: FlowRun,
  context: ActionContext,
  { does, ...chosen }: ChosenCandidate,
): Promise<HeldTarget | undefined> {
  const holding = { ...chosen, isFill: does === 'fill', call: context.call };
  return withPageErrors(() => holdTarget(flow.page(context), holding), context);
}

function toResolutionRecord(
  { target }: TargetRequest,
  { chosen, candidates }: Extract<Resolution, { found: true }>,
): ResolutionRecord {
  const { candidate, why } = chosen;
  return {
    ...{ target, selector: selectorOf(candidate), is: describeCandidate(chosen), why, by: 'page' },
    candidates: candidates.map(describeCandidate),
  };
}

async function askResolver(
  flow: FlowRun,
  context: ActionContext,
  targetRequest: TargetRequest & TargetLookup,
): Promise<ResolvedTarget> {
  const { target, does, resolution, all } = targetRequest;
  const page = flow.page(context);
  const mask = (text: string): string => maskText(context, text);
  const maskedCandidates = all.map((each) => maskCandidate(each, mask));
  const request = { target, action: does, url: mask(page.url()), candidates: maskedCandidates, page, signal: context.signal };
  const answer = await flow.quota.ask(request, context.fixtures[resolverFixture] as TargetResolver | undefined);
  const common = { target, why: 'the target resolver says so', by: 'resolver' } as const;
  const candidates = resolution.candidates.map(describeCandidate);
  if (answer && 'selector' in answer)
    return { resolved: { ...common, selector: answer.selector, is: answer.selector, candidates } };
  const candidate = answer && all.find(({ index }) => index === answer.index);
  if (!candidate) throw createUnresolvableError(page.url(), targetRequest);
  const held = await holdCandidate(flow, context, { ...targetRequest, candidate });
  if (!held) throw createUnresolvableError(page.url(), { ...targetRequest, why: changingReason });
  const selector = selectorOf(candidate);
  return { held, resolved: { ...common, selector, is: selector, candidates } };
}

const changingReason = 'the page changes all the time';

function createUnresolvableError(
  url: string,
  { target, pinned, resolution, why }: TargetRequest & TargetLookup & { why?: string },
): RecipeError {
  const because = why ?? (resolution.found ? changingReason : resolution.why);
  const candidates = resolution.candidates.map(describeCandidate);
  const listed = candidates.length === 0 ? 'Nothing on the page comes close.' : `Candidates: ${candidates.join(', ')}.`;
  const before = pinned ? ` The pinned selector ${pinned} does not name one visible element either.` : '';
  const message = `${JSON.stringify(target)} cannot be resolved on ${url}: ${because}. ${listed} Pin a selector, or describe it by what it says.${before}`;
  return createFlowError('spec_step_unresolvable', message);
}

/** What a resolver sees may go into a prompt, and no secret does. */
function maskCandidate(candidate: Candidate, mask: (text: string) => string): Candidate {
  const { name, placeholder, testId, id } = candidate;
  return { ...candidate, name: mask(name), placeholder: mask(placeholder), testId: mask(testId), id: mask(id) };
}
