// Finds the element that a description means, and acts on it only while the page does not change it into something else.
import type { ActionContext } from '../../../actions/action.js';
import { sleep } from '../../../actions/sleep.js';
import { withPageErrors } from '../../../actions/ui/withPageErrors.js';
import type { RecipeError } from '../../../evidence/recipeError.js';
import { createFlowError, toFlowError } from '../failureClass.js';
import type { FlowRun } from '../run/flowRun.js';
import { maskText } from '../run/flowText.js';
import { resolverFixture } from '../run/resolverQuota.js';
import { waitAtMost } from '../run/runStep.js';
import type { TargetResolver } from '../settings.js';
import { type Candidate, findCandidates, selectorOf } from '../targets/candidates.js';
import { type GuardedTarget, guardTarget } from '../targets/guardTarget.js';
import { chooseCandidate, describeCandidate, type Resolution } from '../targets/resolveTarget.js';
import { type Gesture, performGesture } from './performGesture.js';

type TargetGesture = { gesture: Gesture; target: string; pinned?: string };

/** `actedSelector` finds the element of the gesture. */
export type ActOutcome = { output: Record<string, unknown>; actedSelector: string };

/** How often the page may change the element before the step gives up. */
const maxAttempts = 5;
const pollMs = 250;
const releaseTimeoutMs = 1_000;

export async function actOnTarget(
  flow: FlowRun,
  context: ActionContext,
  { gesture, target, pinned }: TargetGesture,
): Promise<ActOutcome> {
  for (let attempt = 1; ; attempt++) {
    const request: TargetRequest = { target, does: gesture.does, pinned, mark: `target-${++flow.guardCount}` };
    const resolvedTarget = await resolveStepTarget(flow, context, request);
    const { resolved, guarded } = resolvedTarget;
    const { output, error, wasChanged } = await tryGesture(flow, context, { request, resolvedTarget, gesture });
    if (!wasChanged && !error) {
      const actOutput = { ...output, target: resolved.selector, by: 'target', resolved };
      return { output: actOutput, actedSelector: guarded?.selector ?? resolved.selector };
    }
    if (!wasChanged || attempt === maxAttempts || context.signal.aborted) throw createActError(resolvedTarget, error);
  }
}

type GestureAttempt = { request: TargetRequest; resolvedTarget: ResolvedTarget; gesture: Gesture };
type GestureResult = { output?: object; error?: RecipeError };

/** `wasChanged`: the page changed the element, so the gesture did not touch it. */
async function tryGesture(
  flow: FlowRun,
  context: ActionContext,
  { request, resolvedTarget: { guarded, resolved }, gesture }: GestureAttempt,
): Promise<GestureResult & { wasChanged: boolean }> {
  const acting: Promise<GestureResult> = performGesture(context, guarded?.selector ?? resolved.selector, gesture).then(
    (output) => ({ output }),
    (thrown: unknown) => ({ error: toFlowError(thrown) }),
  );
  if (!guarded) return { ...(await acting), wasChanged: false };
  const last = await followReplacements(flow, context, { request, guarded, acting });
  const ending = last.end({ keepsMark: context.isSecret(gesture.value) });
  const result = await acting;
  const wasRefused = (await waitAtMost(releaseTimeoutMs, context, ending)) ?? last.firstRefused();
  return { ...result, wasChanged: wasRefused ?? (!result.error && causesEvents(gesture)) };
}

/**
 * Whether the gesture causes events in the page. When the page is gone before it reports an event, the event may have been
 * refused.
 */
function causesEvents({ does }: Gesture): boolean {
  return does === 'click' || does === 'press';
}

type GuardedGesture = { request: TargetRequest; guarded: GuardedTarget; acting: Promise<unknown> };

/**
 * When the page replaces the element while rendering, guards the new element with the same meaning instead. Returns the last one.
 */
async function followReplacements(
  flow: FlowRun,
  context: ActionContext,
  { request, guarded, acting }: GuardedGesture,
): Promise<GuardedTarget> {
  let last = guarded;
  let isDone = false;
  const done = acting.then(() => {
    isDone = true;
  });
  const findReplacement = async (): Promise<void> => {
    if (!(await last.isLost()) || isDone) return;
    const next = await guardReplacement(flow, context, { ...request, previous: last });
    // The caller ends only the last watch that it knows. Another watch would stay and block later clicks and keys.
    if (isDone) await next?.end({ keepsMark: false });
    else last = next ?? last;
  };
  while (!isDone) {
    await waitAtMost(pollMs, context, done);
    // If the page does not answer, the gesture itself fails with the reason.
    if (!isDone) await Promise.race([done, findReplacement().catch(() => undefined)]);
  }
  return last;
}

function createActError({ resolved, guarded }: ResolvedTarget, error: RecipeError | undefined): RecipeError {
  if (error && error.kind !== 'action') return error;
  const { target, is } = resolved;
  const reason = error && (guarded ? error.message.replaceAll(guarded.selector, is) : error.message);
  const problem =
    reason === undefined
      ? 'the page changed that element each time before the action'
      : `the action on that element failed: ${reason}`;
  return createFlowError('spec_step_unresolvable', `${JSON.stringify(target)} was resolved to ${is}, but ${problem}`, error);
}

/** Part of the output and of findings.json. */
type ResolutionRecord = {
  target: string;
  /** The position of the element in the page. */
  selector: string;
  is: string;
  why: string;
  by: 'page' | 'resolver';
  candidates: string[];
};

/** `guarded` is undefined when the resolver of the project returned a selector. */
type ResolvedTarget = { resolved: ResolutionRecord; guarded?: GuardedTarget };

/** `mark` identifies the element in the page. */
type TargetRequest = { target: string; does: string; pinned: string | undefined; mark: string };

const resolvePollMs = 250;
/** How long the page may take to show the element. */
const resolveTimeoutMs = 5_000;

/** Resolves the description with the page alone. When this fails, asks the resolver of the project. */
async function resolveStepTarget(flow: FlowRun, context: ActionContext, request: TargetRequest): Promise<ResolvedTarget> {
  const deadline = context.clock.now() + Math.min(resolveTimeoutMs, context.remainingMs() / 2);
  for (;;) {
    const lookup = await lookUpTarget(flow, context, request);
    const { resolution } = lookup;
    const guarded = resolution.found && (await guardCandidate(flow, context, { ...request, ...resolution.chosen }));
    if (guarded) return { guarded, resolved: toResolutionRecord(request, resolution) };
    const isTimedOut = context.clock.now() + resolvePollMs > deadline || context.signal.aborted;
    if (isTimedOut) return askResolver(flow, context, { ...request, ...lookup });
    await sleep(context, resolvePollMs);
  }
}

type ReplacementRequest = TargetRequest & { previous: GuardedTarget };

/** Looks once for an element that has replaced the previous one, and guards it. */
async function guardReplacement(
  flow: FlowRun,
  context: ActionContext,
  request: ReplacementRequest,
): Promise<GuardedTarget | undefined> {
  const { resolution } = await lookUpTarget(flow, context, request);
  return resolution.found ? guardCandidate(flow, context, { ...request, ...resolution.chosen }) : undefined;
}

type TargetLookup = { resolution: Resolution; candidates: Candidate[] };

async function lookUpTarget(flow: FlowRun, context: ActionContext, { target, does }: TargetRequest): Promise<TargetLookup> {
  const page = flow.page(context);
  const candidates = await withPageErrors(() => findCandidates(page, { isFill: does === 'fill', call: context.call }), context);
  return { resolution: chooseCandidate(candidates, target), candidates };
}

type ChosenCandidate = TargetRequest & { candidate: Candidate; previous?: GuardedTarget };

function guardCandidate(
  flow: FlowRun,
  context: ActionContext,
  { does, ...chosen }: ChosenCandidate,
): Promise<GuardedTarget | undefined> {
  const options = { ...chosen, isFill: does === 'fill', call: context.call };
  return withPageErrors(() => guardTarget(flow.page(context), options), context);
}

function toResolutionRecord(
  { target }: TargetRequest,
  { chosen, candidates }: Extract<Resolution, { found: true }>,
): ResolutionRecord {
  const { candidate, why } = chosen;
  return {
    target,
    selector: selectorOf(candidate),
    is: describeCandidate(chosen),
    why,
    by: 'page',
    candidates: candidates.map(describeCandidate),
  };
}

async function askResolver(
  flow: FlowRun,
  context: ActionContext,
  targetRequest: TargetRequest & TargetLookup,
): Promise<ResolvedTarget> {
  const { target, does, resolution } = targetRequest;
  const page = flow.page(context);
  const mask = (text: string): string => maskText(context, text);
  const request = {
    target,
    action: does,
    url: mask(page.url()),
    candidates: targetRequest.candidates.map((candidate) => maskCandidate(candidate, mask)),
    page,
    signal: context.signal,
  };
  const answer = await flow.quota.ask(request, context.fixtures[resolverFixture] as TargetResolver | undefined);
  const common = { target, why: 'the target resolver chose it', by: 'resolver' } as const;
  const candidates = resolution.candidates.map(describeCandidate);
  if (answer && 'selector' in answer)
    return { resolved: { ...common, selector: answer.selector, is: answer.selector, candidates } };
  const candidate = answer && targetRequest.candidates.find(({ index }) => index === answer.index);
  if (!candidate) throw createUnresolvableError(page.url(), targetRequest);
  const guarded = await guardCandidate(flow, context, { ...targetRequest, candidate });
  if (!guarded) throw createUnresolvableError(page.url(), { ...targetRequest, reason: changingReason });
  const selector = selectorOf(candidate);
  return { guarded, resolved: { ...common, selector, is: selector, candidates } };
}

const changingReason = 'the page keeps changing';

function createUnresolvableError(
  url: string,
  { target, pinned, resolution, reason }: TargetRequest & TargetLookup & { reason?: string },
): RecipeError {
  const problem = reason ?? (resolution.found ? changingReason : resolution.why);
  const candidates = resolution.candidates.map(describeCandidate);
  const candidateList = candidates.length === 0 ? 'No element is similar.' : `Candidates: ${candidates.join(', ')}.`;
  const pinnedNote = pinned ? ` The pinned selector ${pinned} does not match exactly one visible element either.` : '';
  const message = `${JSON.stringify(target)} cannot be resolved on ${url}: ${problem}. ${candidateList} Pin a selector, or describe the element by its text.${pinnedNote}`;
  return createFlowError('spec_step_unresolvable', message);
}

/** Masks the secrets in a candidate, because a resolver may put its candidates into a prompt. */
function maskCandidate(candidate: Candidate, mask: (text: string) => string): Candidate {
  const { name, placeholder, testId, id } = candidate;
  return { ...candidate, name: mask(name), placeholder: mask(placeholder), testId: mask(testId), id: mask(id) };
}
