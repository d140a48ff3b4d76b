// Finds again what a step means, by its description: first by the page alone, then by what the project plugged in.
import {
  type Candidate,
  candidatesOn,
  choose,
  describeCandidate,
  isStill,
  type Resolution,
} from '../../browser/resolveTarget.js';
import type { ActionContext } from '../action.js';
import { drive } from '../ui/drive.js';
import { flowError } from './flowError.js';
import type { FlowRun } from './flowRun.js';
import { masked } from './masked.js';
import { resolverFixture, type TargetResolver } from './targetResolver.js';

export type ReResolved = {
  target: string;
  selector: string;
  is: string;
  why: string;
  by: 'page' | 'resolver';
  candidates: string[];
};

type Asked = { target: string; does: string; pinned: string | undefined };

const pauseMs = 250;
/** How long a page may take to show what is meant. */
const patientMs = 5_000;

export async function reResolve(flow: FlowRun, context: ActionContext, asked: Asked): Promise<ReResolved> {
  const until = context.clock.now() + Math.min(patientMs, context.remainingMs() / 2);
  for (;;) {
    const seen = await look(flow, context, asked);
    if (seen.resolution.found && (await isStill(flow.page(context), seen.resolution.chosen.candidate, context.call)))
      return told(seen.resolution, asked.target);
    const isOver = context.clock.now() + pauseMs > until || context.signal.aborted;
    if (isOver) return askResolver(flow, context, { ...asked, ...seen });
    await new Promise<void>((resolve) => context.clock.after(pauseMs, resolve));
  }
}

type Seen = { resolution: Resolution; all: Candidate[] };

async function look(flow: FlowRun, context: ActionContext, { target, does }: Asked): Promise<Seen> {
  const page = flow.page(context);
  const all = await drive(() => candidatesOn(page, { isFill: does === 'fill', call: context.call }), context);
  return { resolution: choose(all, target), all };
}

function told(resolution: Extract<Resolution, { found: true }>, target: string): ReResolved {
  const { selector, chosen, candidates } = resolution;
  return {
    target,
    selector,
    is: describeCandidate(chosen),
    why: chosen.why,
    by: 'page',
    candidates: candidates.map(describeCandidate),
  };
}

async function askResolver(flow: FlowRun, context: ActionContext, asked: Asked & Seen): Promise<ReResolved> {
  const { target, does, pinned, resolution, all } = asked;
  const candidates = resolution.candidates.map(describeCandidate);
  const page = flow.page(context);
  const mask = (text: string): string => masked(context, text);
  const shown = all.map((each) => withoutSecrets(each, mask));
  const request = { target, action: does, url: mask(page.url()), candidates: shown, page, signal: context.signal };
  const selector = await flow.quota.ask(request, context.fixtures[resolverFixture] as TargetResolver | undefined);
  if (selector !== undefined)
    return { target, selector, is: selector, why: 'the target resolver says so', by: 'resolver', candidates };
  const why = resolution.found ? 'the page changes all the time' : resolution.why;
  const listed = candidates.length === 0 ? 'Nothing on the page comes close.' : `Candidates: ${candidates.join(', ')}.`;
  const before = pinned ? ` The pinned selector ${pinned} does not name one visible element either.` : '';
  const message = `${JSON.stringify(target)} cannot be resolved on ${page.url()}: ${why}. ${listed} Pin a selector, or describe it by what it says.${before}`;
  throw flowError('spec_step_unresolvable', message);
}

/** What a resolver sees may go into a prompt, and no secret does. */
function withoutSecrets(candidate: Candidate, mask: (text: string) => string): Candidate {
  const { name, placeholder, testId, id } = candidate;
  return { ...candidate, name: mask(name), placeholder: mask(placeholder), testId: mask(testId), id: mask(id) };
}
