// How well an element fits a few words such as "the sign-up button". No model, no chance: the same page gives the same answer.
import type { Candidate } from './resolveTargetPage.js';
import { coreOf, hasLetters, kinds, marksOf, type NameOf, noise, synonyms, typed, wordsOf } from './resolveTargetWords.js';

export type Scored = { candidate: Candidate; score: number; why: string };

/** What the words ask for: a kind of element, and what it is called. */
export type Wanted = { roles: readonly string[]; words: readonly string[]; kind: string };

export function wantedBy(target: string): Wanted {
  const all = wordsOf(target).filter((word) => !noise.has(word));
  // The kind of thing is what the description ends with: "the submit button", "the search field".
  const last = all.at(-1) ?? '';
  const kind = kinds.find(([names]) => names.includes(last) || names.includes(last.replace(/s$/, '')));
  const named = kind ? all.slice(0, -1) : all;
  // "the ? button" is not just any button.
  const words = named.length === 0 ? marksOf(target) : named;
  return { roles: kind?.[1] ?? [], words, kind: kind ? last : '' };
}

export function scoreOf(candidate: Candidate, wanted: Wanted): Scored {
  const { score, why } = nameScore(candidate, wanted);
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
type Said = { score: number; why: string };

const none: Said = { score: 0, why: '' };

function nameScore(candidate: Candidate, { words, roles }: Wanted): Said {
  const { name, placeholder, role } = candidate;
  // Only its kind was said: any of that kind fits, and more than one is one too many.
  if (words.length === 0) return roles.includes(role) ? { score: 0.8, why: `it is a ${role}` } : none;
  const of = nameOf(candidate);
  const shown: Source[] = [
    ['its name', name, 1],
    ['its placeholder', placeholder, 0.92],
  ];
  const heard = shown.filter(([, text]) => wordsOf(text).length > 0).map((each) => fitOf(each, words, of));
  // What it is called comes first: a field that is called "Confirm password" is not "Password", whatever else is written on it.
  const other = heard.find(({ score }) => score > 0 && score <= poor);
  if (other) return isSearchFor(candidate, words) ? typeSaid(candidate) : other;
  const silent = hidden(candidate, hasLetters(`${name}${placeholder}`)).map((each) => fitOf(each, words, of));
  return [...heard, ...silent].reduce((best, each) => (each.score > best.score ? each : best), none);
}

/** What nobody sees counts where nothing is shown, and in a field, whose label may be in another language. */
function hidden(candidate: Candidate, isNamed: boolean): Source[] {
  const { testId, id, type, isEditable } = candidate;
  const said: Source[] = [['its type', typed.has(type) ? (type === 'tel' ? 'phone' : type) : '', 0.8]];
  if (isNamed && !isEditable) return type === 'submit' ? said : [];
  const ids = id.split(' ').map((each): Source => ['its id', withoutKind(each), 0.82]);
  return [['its test id', withoutKind(testId), 0.88], ...ids, ...said];
}

/** Whatever it is that it searches. */
function isSearchFor({ type, role, isEditable }: Candidate, words: readonly string[]): boolean {
  return isEditable && (type === 'search' || role === 'searchbox') && /^(search|find|filter)$/.test(words.join(''));
}

function typeSaid({ type }: Candidate): Said {
  return { score: 0.8, why: `its type is ${JSON.stringify(type || 'search')}` };
}

function nameOf({ role, isEditable }: Candidate): NameOf {
  if (isEditable) return 'field';
  return ['checkbox', 'switch', 'radio', 'option'].includes(role) ? 'choice' : 'control';
}

/** "submit-button" and "btnSubmit" say what it is called and what it is. */
function withoutKind(text: string): string {
  const kept = wordsOf(text).join(' ');
  const name = '(button|btn|link|field|input|txt|box)';
  return kept.replace(new RegExp(`^${name} `), '').replace(new RegExp(` ${name}$`), '');
}

/** What only resembles the words stays below this, which is too little to be taken. */
const poor = 0.5;

function fitOf([what, text, weight]: Source, wanted: readonly string[], of: NameOf): Said {
  const given = wordsOf(text);
  const core = coreOf(given, wanted, of);
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
  return (poor * common) / Math.max(wanted.length, given.length, 1);
}
