// Chooses the element of a page that a description such as "the sign-up button" means. Compares scores, without a language model.
// A tie or a poor match is an error, never a guess.
import type { Page } from '@playwright/test';
import type { Call } from '../../../browser/pageCalls.js';
import { type Candidate, findCandidates, selectorOf } from './candidates.js';
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

export type Resolution =
  | { found: true; selector: string; chosen: ScoredCandidate; candidates: readonly ScoredCandidate[] }
  | { found: false; why: string; candidates: readonly ScoredCandidate[] };

type TargetQuery = { target: string; isFill: boolean; call: Call };

const minScore = 0.6;
/** The minimum difference between the best score and the next one. */
const minLead = 0.08;
const maxListed = 8;

export async function resolveTarget(page: Page, { target, ...options }: TargetQuery): Promise<Resolution> {
  return chooseCandidate(await findCandidates(page, options), target);
}

/** Chooses a candidate. The same candidates always give the same result. */
export function chooseCandidate(candidates: readonly Candidate[], target: string): Resolution {
  const description = parseDescription(target);
  const scored = candidates
    .map((candidate) => scoreOf(candidate, description))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.candidate.index - b.candidate.index);
  const listed = scored.slice(0, maxListed);
  const [best] = scored;
  if (!best || best.score < minScore) return { found: false, why: 'no element matches well enough', candidates: listed };
  const rivals = scored.filter(({ score }) => best.score - score < minLead);
  if (rivals.length > 1) return { found: false, why: `${rivals.length} elements match equally well`, candidates: listed };
  return { found: true, selector: selectorOf(best.candidate), chosen: best, candidates: listed };
}

export function describeCandidate({ candidate: { role, name, placeholder, testId, id }, score }: ScoredCandidate): string {
  const label = name || placeholder || testId || id.trim();
  return `${role}${label === '' ? '' : ` ${JSON.stringify(label)}`} (${score.toFixed(2)})`;
}

type ScoredCandidate = { candidate: Candidate; score: number; why: string };

/** `roles` and `kind` describe the kind of element. `words` are its name. */
type TargetDescription = { roles: readonly string[]; words: readonly string[]; kind: string };

function parseDescription(target: string): TargetDescription {
  const allWords = wordsOf(target).filter((word) => !fillerWords.has(word));
  // The last word is the kind of element: "the submit button", "the search field".
  const last = allWords.at(-1) ?? '';
  const kind = kinds.find(([names]) => names.includes(last) || names.includes(last.replace(/s$/, '')));
  const nameWords = kind ? allWords.slice(0, -1) : allWords;
  // "the ? button" has the name "?".
  const words = nameWords.length === 0 ? symbolsOf(target) : nameWords;
  return { roles: kind?.[1] ?? [], words, kind: kind ? last : '' };
}

function scoreOf(candidate: Candidate, description: TargetDescription): ScoredCandidate {
  const { score, why } = scoreName(candidate, description);
  const factor = roleFactor(candidate.role, description.roles);
  const rounded = Math.round(score * factor * 1_000) / 1_000;
  return { candidate, score: rounded, why: factor === 1 ? why : `${why}, although it is a ${candidate.role}` };
}

function roleFactor(role: string, roles: readonly string[]): number {
  if (roles.length === 0) return role === 'heading' || role === 'region' || role === 'generic' || role === 'label' ? 0.8 : 1;
  if (roles.includes(role)) return 1;
  // Links can look like buttons and buttons like links.
  const clickableRoles = ['button', 'link', 'menuitem', 'tab'];
  if (!roles.some((wanted) => clickableRoles.includes(wanted))) return 0.4;
  if (clickableRoles.includes(role)) return 0.9;
  // An element without a role can be a button by its script.
  return role === 'generic' ? 0.75 : 0.4;
}

/** `label` names the source in messages, such as "its placeholder". */
type Source = readonly [label: string, text: string, weight: number];
type Match = { score: number; why: string };

const noMatch: Match = { score: 0, why: '' };

function scoreName(candidate: Candidate, { words, roles }: TargetDescription): Match {
  const { name, placeholder, role } = candidate;
  // A description with only a kind, such as "the button", matches every element of that kind.
  if (words.length === 0) return roles.includes(role) ? { score: 0.8, why: `it is a ${role}` } : noMatch;
  const nameKind = nameKindOf(candidate);
  const visibleSources: Source[] = [
    ['its name', name, 1],
    ['its placeholder', placeholder, 0.92],
  ];
  const visibleMatches = visibleSources
    .filter(([, text]) => wordsOf(text).length > 0)
    .map((source) => matchSource(source, words, nameKind));
  // A visible name that only resembles the description rules the element out: "Confirm password" is not "Password".
  const poorMatch = visibleMatches.find(({ score }) => score > 0 && score <= maxPoorScore);
  if (poorMatch) return isSearchField(candidate, words) ? matchByType(candidate) : poorMatch;
  const hiddenMatches = hiddenSources(candidate, hasLetters(`${name}${placeholder}`)).map((source) =>
    matchSource(source, words, nameKind),
  );
  return [...visibleMatches, ...hiddenMatches].reduce((best, match) => (match.score > best.score ? match : best), noMatch);
}

/**
 * Returns the ids and the type. They count for elements without a visible name, and for fields, whose labels may be in another
 * language.
 */
function hiddenSources(candidate: Candidate, isNamed: boolean): Source[] {
  const { testId, id, type, isEditable } = candidate;
  const sources: Source[] = [['its type', describedTypes.has(type) ? (type === 'tel' ? 'phone' : type) : '', 0.8]];
  if (isNamed && !isEditable) return type === 'submit' ? sources : [];
  const ids = id.split(' ').map((text): Source => ['its id', withoutKind(text), 0.82]);
  return [['its test id', withoutKind(testId), 0.88], ...ids, ...sources];
}

/** Whether the description is "the search field", which means a search field with any name. */
function isSearchField({ type, role, isEditable }: Candidate, words: readonly string[]): boolean {
  return isEditable && (type === 'search' || role === 'searchbox') && /^(search|find|filter)$/.test(words.join(''));
}

function matchByType({ type }: Candidate): Match {
  return { score: 0.8, why: `its type is ${JSON.stringify(type || 'search')}` };
}

function nameKindOf({ role, isEditable }: Candidate): NameKind {
  if (isEditable) return 'field';
  return ['checkbox', 'switch', 'radio', 'option'].includes(role) ? 'choice' : 'control';
}

/** Removes the kind from ids such as "submit-button" and "btnSubmit". */
function withoutKind(text: string): string {
  const words = wordsOf(text).join(' ');
  const kindPattern = '(button|btn|link|field|input|txt|box)';
  return words.replace(new RegExp(`^${kindPattern} `), '').replace(new RegExp(` ${kindPattern}$`), '');
}

/** The maximum score of a name that only resembles the description. It is below `minScore`. */
const maxPoorScore = 0.5;

function matchSource([label, text, weight]: Source, wanted: readonly string[], nameKind: NameKind): Match {
  const words = wordsOf(text);
  const coreWords = removeAdditions(words, wanted, nameKind);
  const score =
    Math.max(scoreEquality(wanted, words), 0.9 * scoreEquality(wanted, coreWords), scoreResemblance(wanted, words)) * weight;
  return { score, why: `${label} is ${JSON.stringify(text)}` };
}

/** Scores a name whose words all match: "Sign in" is not "Sign in with Google". */
function scoreEquality(wanted: readonly string[], words: readonly string[]): number {
  const [wantedText, text] = [wanted.join(''), words.join('')];
  if (wantedText === text) return 1;
  if (synonyms.some((group) => group.includes(wantedText) && group.includes(text))) return 0.9;
  // "the CSV download button" is "Download CSV". With more than two words, their order can matter.
  const isSwapped = wanted.length === 2 && words.length === 2 && wanted[0] === words[1] && wanted[1] === words[0];
  return isSwapped ? 0.85 : 0;
}

/** Scores a name by the words that it shares with the description. Parts of words count: "E-Mailadresse" resembles "mail". */
function scoreResemblance(wanted: readonly string[], words: readonly string[]): number {
  const withSynonyms = (word: string): string[] => [word, ...synonyms.filter((group) => group.includes(word)).flat()];
  const isFound = (wantedWord: string): boolean =>
    withSynonyms(wantedWord).some((synonym) =>
      words.some((word) => word === synonym || (synonym.length > 3 && word.includes(synonym))),
    );
  const commonCount = wanted.filter(isFound).length;
  return (maxPoorScore * commonCount) / Math.max(wanted.length, words.length, 1);
}
