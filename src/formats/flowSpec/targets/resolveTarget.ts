// Finds what a description in words means on the page that is there now; a tie or a poor fit is refused, never guessed.
import type { Page } from '@playwright/test';
import type { Call } from '../../../browser/call.js';
import { inElements } from '../../../browser/inPage.js';

export type { Candidate } from './resolveTargetPage.js';

import { type Candidate, candidateSelector, collectCandidates } from './resolveTargetPage.js';
import { type Scored, scoreOf, wantedBy } from './resolveTargetScore.js';

export type Resolution =
  | { found: true; selector: string; chosen: Scored; candidates: readonly Scored[] }
  | { found: false; why: string; candidates: readonly Scored[] };

export type Asked = { target: string; isFill: boolean; call: Call };

const least = 0.6;
/** By how much the best has to be better than any other. */
const lead = 0.08;
const mostListed = 8;

export async function resolveTarget(page: Page, asked: Asked): Promise<Resolution> {
  const candidates = await candidatesOn(page, asked);
  return choose(candidates, asked.target);
}

export async function candidatesOn(page: Page, { isFill, call }: Omit<Asked, 'target'>): Promise<Candidate[]> {
  const all = await inElements(call, page.locator(candidateSelector), { run: collectCandidates, given: undefined });
  return isFill ? all.filter((each) => each.isEditable) : all;
}

/** The page is not asked: the same candidates give the same answer. */
export function choose(candidates: readonly Candidate[], target: string): Resolution {
  const wanted = wantedBy(target);
  const scored = candidates
    .map((candidate) => scoreOf(candidate, wanted))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.candidate.index - b.candidate.index);
  const listed = scored.slice(0, mostListed);
  const [best] = scored;
  if (!best || best.score < least) return { found: false, why: 'nothing on the page fits well enough', candidates: listed };
  const alike = scored.filter(({ score }) => best.score - score < lead);
  if (alike.length > 1) return { found: false, why: `${alike.length} elements fit as well as each other`, candidates: listed };
  return { found: true, selector: selectorOf(best.candidate), chosen: best, candidates: listed };
}

/** Where it was: Playwright finds the elements in the same order, as long as the page stays as it is. */
export function selectorOf({ index }: Candidate): string {
  return `css=${candidateSelector} >> nth=${index}`;
}

export function describeCandidate({ candidate: { role, name, placeholder, testId, id }, score }: Scored): string {
  const said = name || placeholder || testId || id.trim();
  return `${role}${said === '' ? '' : ` ${JSON.stringify(said)}`} (${score.toFixed(2)})`;
}
