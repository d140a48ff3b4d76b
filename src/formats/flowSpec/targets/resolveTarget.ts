// Finds what a description in words means on the page that is there now; a tie or a poor fit is refused, never guessed.
import type { Page } from '@playwright/test';
import { type Call, evaluateOnElements } from '../../../browser/pageCalls.js';
import { type Candidate, candidateSelector, collectCandidates } from './candidates.js';
import {
  describedTypes,
  fillerWords,
  hasLetters,
  kinds,
  type NameKind,
  removeAdditions,
  symbolsOf,
  synonyms,
  wordsOf,
} from './targetWords.js';

export type { Candidate } from './candidates.js';

export type Resolution =
  | { found: true; selector: string; chosen: ScoredCandidate; candidates: readonly ScoredCandidate[] }
  | { found: false; why: string; candidates: readonly ScoredCandidate[] };

type TargetQuery = { target: string; isFill: boolean; call: Call };

const minScore = 0.6;
/** By how much the best has to be better than any other. */
const minLead = 0.08;
const maxListed = 8;

export async function resolveTarget(page: Page, asked: TargetQuery): Promise<Resolution> {
  const candidates = await findCandidates(page, asked);
  return chooseCandidate(candidates, asked.target);
}

export async function findCandidates(page: Page, { isFill, call }: Omit<TargetQuery, 'target'>): Promise<Candidate[]> {
  const all = await evaluateOnElements(call, page.locator(candidateSelector), { run: collectCandidates, argument: undefined });
  return isFill ? all.filter((each) => each.isEditable) : all;
}

/** The page is not asked: the same candidates give the same answer. */
export function chooseCandidate(candidates: readonly Candidate[], target: string): Resolution {
  const wanted = parseDescription(target);
  const scored = candidates
    .map((candidate) => scoreOf(candidate, wanted))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.candidate.index - b.candidate.index);
  const listed = scored.slice(0, maxListed);
  const [best] = scored;
  if (!best || best.score < minScore) return { found: false, why: 'nothing on the page fits well enough', candidates: listed };
  const rivals = scored.filter(({ score }) => best.score - score < minLead);
  if (rivals.length > 1) return { found: false, why: `${rivals.length} elements fit as well as each other`, candidates: listed };
  return { found: true, selector: selectorOf(best.candidate), chosen: best, candidates: listed };
}

/** Where it was: Playwright finds the elements in the same order, as long as the page stays as it is. */
export function selectorOf({ index }: Candidate): string {
  return `css=${candidateSelector} >> nth=${index}`;
}

export function describeCandidate({ candidate: { role, name, placeholder, testId, id }, score }: ScoredCandidate): string {
  const label = name || placeholder || testId || id.trim();
  return `${role}${label === '' ? '' : ` ${JSON.stringify(label)}`} (${score.toFixed(2)})`;
}

// How well an element fits a few words such as "the sign-up button". No model, no chance: the same page gives the same answer.

type ScoredCandidate = { candidate: Candidate; score: number; why: string };

/** What the words ask for: a kind of element, and what it is called. */
type TargetDescription = { roles: readonly string[]; words: readonly string[]; kind: string };

function parseDescription(target: string): TargetDescription {
  const all = wordsOf(target).filter((word) => !fillerWords.has(word));
  // The kind of thing is what the description ends with: "the submit button", "the search field".
  const last = all.at(-1) ?? '';
  const kind = kinds.find(([names]) => names.includes(last) || names.includes(last.replace(/s$/, '')));
  const nameWords = kind ? all.slice(0, -1) : all;
  // "the ? button" is not just any button.
  const words = nameWords.length === 0 ? symbolsOf(target) : nameWords;
  return { roles: kind?.[1] ?? [], words, kind: kind ? last : '' };
}

function scoreOf(candidate: Candidate, wanted: TargetDescription): ScoredCandidate {
  const { score, why } = scoreName(candidate, wanted);
  const fit = roleFit(candidate.role, wanted.roles);
  const rounded = Math.round(score * fit * 1_000) / 1_000;
  return { candidate, score: rounded, why: fit === 1 ? why : `${why}, though it is a ${candidate.role}` };
}

function roleFit(role: string, roles: readonly string[]): number {
  if (roles.length === 0) return role === 'heading' || role === 'region' || role === 'generic' || role === 'label' ? 0.8 : 1;
  if (roles.includes(role)) return 1;
  // Links are made to look like buttons, and the other way round.
  const both = ['button', 'link', 'menuitem', 'tab'];
  if (!roles.some((each) => both.includes(each))) return 0.4;
  if (both.includes(role)) return 0.9;
  // Something that only a script makes a button.
  return role === 'generic' ? 0.75 : 0.4;
}

type Source = readonly [what: string, text: string, weight: number];
type Match = { score: number; why: string };

const noMatch: Match = { score: 0, why: '' };

function scoreName(candidate: Candidate, { words, roles }: TargetDescription): Match {
  const { name, placeholder, role } = candidate;
  // Only its kind was said: any of that kind fits, and more than one is one too many.
  if (words.length === 0) return roles.includes(role) ? { score: 0.8, why: `it is a ${role}` } : noMatch;
  const of = nameKindOf(candidate);
  const sources: Source[] = [
    ['its name', name, 1],
    ['its placeholder', placeholder, 0.92],
  ];
  const shownMatches = sources.filter(([, text]) => wordsOf(text).length > 0).map((each) => matchSource(each, words, of));
  // What it is called comes first: a field that is called "Confirm password" is not "Password", whatever else is written on it.
  const other = shownMatches.find(({ score }) => score > 0 && score <= maxPoorScore);
  if (other) return isSearchFor(candidate, words) ? matchByType(candidate) : other;
  const hiddenMatches = hiddenSources(candidate, hasLetters(`${name}${placeholder}`)).map((each) => matchSource(each, words, of));
  return [...shownMatches, ...hiddenMatches].reduce((best, each) => (each.score > best.score ? each : best), noMatch);
}

/** What nobody sees counts where nothing is shown, and in a field, whose label may be in another language. */
function hiddenSources(candidate: Candidate, isNamed: boolean): Source[] {
  const { testId, id, type, isEditable } = candidate;
  const sources: Source[] = [['its type', describedTypes.has(type) ? (type === 'tel' ? 'phone' : type) : '', 0.8]];
  if (isNamed && !isEditable) return type === 'submit' ? sources : [];
  const ids = id.split(' ').map((each): Source => ['its id', withoutKind(each), 0.82]);
  return [['its test id', withoutKind(testId), 0.88], ...ids, ...sources];
}

/** Whatever it is that it searches. */
function isSearchFor({ type, role, isEditable }: Candidate, words: readonly string[]): boolean {
  return isEditable && (type === 'search' || role === 'searchbox') && /^(search|find|filter)$/.test(words.join(''));
}

function matchByType({ type }: Candidate): Match {
  return { score: 0.8, why: `its type is ${JSON.stringify(type || 'search')}` };
}

function nameKindOf({ role, isEditable }: Candidate): NameKind {
  if (isEditable) return 'field';
  return ['checkbox', 'switch', 'radio', 'option'].includes(role) ? 'choice' : 'control';
}

/** "submit-button" and "btnSubmit" say what it is called and what it is. */
function withoutKind(text: string): string {
  const words = wordsOf(text).join(' ');
  const name = '(button|btn|link|field|input|txt|box)';
  return words.replace(new RegExp(`^${name} `), '').replace(new RegExp(` ${name}$`), '');
}

/** What only resembles the words stays below this, which is too little to be taken. */
const maxPoorScore = 0.5;

function matchSource([what, text, weight]: Source, wanted: readonly string[], of: NameKind): Match {
  const given = wordsOf(text);
  const core = removeAdditions(given, wanted, of);
  const score = Math.max(sameness(wanted, given), 0.9 * sameness(wanted, core), resemblance(wanted, given)) * weight;
  return { score, why: `${what} is ${JSON.stringify(text)}` };
}

/** No word too few and none too many: "Sign in" is not "Sign in with Google", nor the other way round. */
function sameness(wanted: readonly string[], given: readonly string[]): number {
  const [asked, said] = [wanted.join(''), given.join('')];
  if (asked === said) return 1;
  if (synonyms.some((group) => group.includes(asked) && group.includes(said))) return 0.9;
  // "the CSV download button" is "Download CSV"; with more words, their order may be what they are about.
  const isTurned = wanted.length === 2 && given.length === 2 && wanted[0] === given[1] && wanted[1] === given[0];
  return isTurned ? 0.85 : 0;
}

/** By a part of a word, too: "E-Mailadresse" speaks of a mail. */
function resemblance(wanted: readonly string[], given: readonly string[]): number {
  const alike = (word: string): string[] => [word, ...synonyms.filter((group) => group.includes(word)).flat()];
  const isIn = (word: string): boolean =>
    alike(word).some((each) => given.some((said) => said === each || (each.length > 3 && said.includes(each))));
  const common = wanted.filter(isIn).length;
  return (maxPoorScore * common) / Math.max(wanted.length, given.length, 1);
}
