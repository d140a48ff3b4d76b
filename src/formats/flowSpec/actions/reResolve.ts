// Finds again what a step means, by its description: first by the page alone, then by what the project plugged in.

import type { ActionContext } from '../../../actions/action.js';
import { pause } from '../../../actions/pause.js';
import { drive } from '../../../actions/ui/drive.js';
import type { RecipeError } from '../../../evidence/failure.js';
import { type HeldTarget, holdTarget } from '../targets/holdTarget.js';
import {
  type Candidate,
  chooseCandidate,
  describeCandidate,
  findCandidates,
  type Resolution,
  selectorOf,
} from '../targets/resolveTarget.js';
import { flowError } from './flowError.js';
import type { FlowRun } from './flowRun.js';
import { masked } from './masked.js';
import { resolverFixture, type TargetResolver } from './targetResolver.js';

/** For the record. */
export type ReResolved = {
  target: string;
  /** Where it was. */
  selector: string;
  is: string;
  why: string;
  by: 'page' | 'resolver';
  candidates: string[];
};

/** `held`: unless the project's resolver says by a selector of its own what is meant. */
export type Taken = { resolved: ReResolved; held?: HeldTarget };

/** `mark`: by which the element is held. */
export type Asked = { target: string; does: string; pinned: string | undefined; mark: string };

const pauseMs = 250;
/** How long a page may take to show what is meant. */
const patientMs = 5_000;

export async function reResolve(flow: FlowRun, context: ActionContext, asked: Asked): Promise<Taken> {
  const until = context.clock.now() + Math.min(patientMs, context.remainingMs() / 2);
  for (;;) {
    const seen = await look(flow, context, asked);
    const { resolution } = seen;
    const held = resolution.found && (await hold(flow, context, { ...asked, ...resolution.chosen }));
    if (held) return { held, resolved: told(asked, resolution) };
    const isOver = context.clock.now() + pauseMs > until || context.signal.aborted;
    if (isOver) return askResolver(flow, context, { ...asked, ...seen });
    await pause(context, pauseMs);
  }
}

type Again = Asked & { after: HeldTarget };

/** Looks once: for when the element that was held is gone, and another one may have come in its place. */
export async function holdAgain(flow: FlowRun, context: ActionContext, asked: Again): Promise<HeldTarget | undefined> {
  const { resolution } = await look(flow, context, asked);
  return resolution.found ? hold(flow, context, { ...asked, ...resolution.chosen }) : undefined;
}

type Seen = { resolution: Resolution; all: Candidate[] };

async function look(flow: FlowRun, context: ActionContext, { target, does }: Asked): Promise<Seen> {
  const page = flow.page(context);
  const all = await drive(() => findCandidates(page, { isFill: does === 'fill', call: context.call }), context);
  return { resolution: chooseCandidate(all, target), all };
}

type Chosen = Asked & { candidate: Candidate; after?: HeldTarget };

function hold(flow: FlowRun, context: ActionContext, { does, ...chosen }: Chosen): Promise<HeldTarget | undefined> {
  const holding = { ...chosen, isFill: does === 'fill', call: context.call };
  return drive(() => holdTarget(flow.page(context), holding), context);
}

function told({ target }: Asked, { chosen, candidates }: Extract<Resolution, { found: true }>): ReResolved {
  const { candidate, why } = chosen;
  return {
    ...{ target, selector: selectorOf(candidate), is: describeCandidate(chosen), why, by: 'page' },
    candidates: candidates.map(describeCandidate),
  };
}

async function askResolver(flow: FlowRun, context: ActionContext, asked: Asked & Seen): Promise<Taken> {
  const { target, does, resolution, all } = asked;
  const page = flow.page(context);
  const mask = (text: string): string => masked(context, text);
  const shown = all.map((each) => withoutSecrets(each, mask));
  const request = { target, action: does, url: mask(page.url()), candidates: shown, page, signal: context.signal };
  const answer = await flow.quota.ask(request, context.fixtures[resolverFixture] as TargetResolver | undefined);
  const said = { target, why: 'the target resolver says so', by: 'resolver' } as const;
  const candidates = resolution.candidates.map(describeCandidate);
  if (answer && 'selector' in answer)
    return { resolved: { ...said, selector: answer.selector, is: answer.selector, candidates } };
  const candidate = answer && all.find(({ index }) => index === answer.index);
  if (!candidate) throw unresolvable(page.url(), asked);
  const held = await hold(flow, context, { ...asked, candidate });
  if (!held) throw unresolvable(page.url(), { ...asked, why: changing });
  const selector = selectorOf(candidate);
  return { held, resolved: { ...said, selector, is: selector, candidates } };
}

const changing = 'the page changes all the time';

function unresolvable(url: string, { target, pinned, resolution, why }: Asked & Seen & { why?: string }): RecipeError {
  const because = why ?? (resolution.found ? changing : resolution.why);
  const candidates = resolution.candidates.map(describeCandidate);
  const listed = candidates.length === 0 ? 'Nothing on the page comes close.' : `Candidates: ${candidates.join(', ')}.`;
  const before = pinned ? ` The pinned selector ${pinned} does not name one visible element either.` : '';
  const message = `${JSON.stringify(target)} cannot be resolved on ${url}: ${because}. ${listed} Pin a selector, or describe it by what it says.${before}`;
  return flowError('spec_step_unresolvable', message);
}

/** What a resolver sees may go into a prompt, and no secret does. */
function withoutSecrets(candidate: Candidate, mask: (text: string) => string): Candidate {
  const { name, placeholder, testId, id } = candidate;
  return { ...candidate, name: mask(name), placeholder: mask(placeholder), testId: mask(testId), id: mask(id) };
}
