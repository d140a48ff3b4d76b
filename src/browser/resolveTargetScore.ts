// How well an element fits a few words such as "the sign-up button". No model, no chance: the same page gives the same answer.
import type { Candidate } from './resolveTargetPage.js';
import { destructive, kinds, noise, reversals, synonyms, typed, widened, wideners, wordsOf } from './resolveTargetWords.js';

/** `fits`: how well its name fits, whatever else it says that the words do not. */
export type Scored = { candidate: Candidate; score: number; fits: number; why: string };

/** What the words ask for: a kind of element, and what it is called. */
export type Wanted = { roles: readonly string[]; words: readonly string[]; kind: string };

export function wantedBy(target: string): Wanted {
  const all = wordsOf(target).filter((word) => !noise.has(word));
  // The kind of thing is what the description ends with: "the submit button", "the search field".
  const last = all.at(-1) ?? '';
  const kind = kinds.find(([names]) => names.includes(last) || names.includes(last.replace(/s$/, '')));
  const words = kind ? all.slice(0, -1) : all;
  return { roles: kind?.[1] ?? [], words, kind: kind ? last : '' };
}

export function scoreOf(candidate: Candidate, wanted: Wanted): Scored {
  const { score, fits, why } = nameScore(candidate, wanted);
  const fit = roleFit(candidate.role, wanted.roles);
  const rounded = (value: number): number => Math.round(value * fit * 1_000) / 1_000;
  return {
    candidate,
    score: rounded(score),
    fits: rounded(fits),
    why: fit === 1 ? why : `${why}, though it is a ${candidate.role}`,
  };
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

const none: Said = { score: 0, fits: 0, why: '' };

type Said = { score: number; fits: number; why: string };

function nameScore(candidate: Candidate, { words, roles }: Wanted): Said {
  const { name, placeholder, testId, id, type, role } = candidate;
  // Only its kind was said: any of that kind fits, and more than one is one too many.
  if (words.length === 0) return roles.includes(role) ? { score: 0.8, fits: 0.8, why: `it is a ${role}` } : none;
  const sources: [string, string, number][] = [
    ['its name', name, 1],
    ['its placeholder', placeholder, 0.92],
    ['its test id', withoutKind(testId), 0.88],
    ['its id', withoutKind(id), 0.82],
    ['its type', typeWords(type), 0.8],
  ];
  let best = none;
  for (const [what, text, weight] of sources) {
    const fits = similarity(words, wordsOf(text)) * weight;
    const score = fits * (meansOther(words, wordsOf(text), candidate.isEditable) ? 0.3 : 1);
    if (score > best.score) best = { score, fits, why: `${what} is ${JSON.stringify(text)}` };
  }
  return best;
}

function typeWords(type: string): string {
  return typed.has(type) ? (type === 'tel' ? 'phone' : type) : '';
}

/** "submit-button" says what it is called and what it is. */
function withoutKind(text: string): string {
  const words = wordsOf(text);
  const names = new Set(kinds.flatMap(([each]) => each));
  const kept = words.filter((word) => !names.has(word));
  return (kept.length > 0 ? kept : words).join(' ');
}

/** Whether a name says something that changes what it is about, and that nobody asked for. */
function meansOther(wanted: readonly string[], given: readonly string[], isField: boolean): boolean {
  const isAsked = (word: string): boolean =>
    wanted.includes(word) || synonyms.some((group) => group.includes(word) && wanted.some((each) => group.includes(each)));
  const added = given.filter((word) => !isAsked(word));
  if (added.some((word) => reversals.has(word) || (!isField && destructive.has(word)))) return true;
  return added.some((word) => wideners.has(word)) && given.some((word) => widened.has(word));
}

function similarity(wanted: readonly string[], given: readonly string[]): number {
  if (given.length === 0) return 0;
  const [asked, said] = [wanted.join(''), given.join('')];
  if (asked === said) return 1;
  if (synonyms.some((group) => group.includes(asked) && group.includes(said))) return 0.9;
  // A name that has all the words, in their order and together, and others around them.
  if (isRun(wanted, given)) return 0.7 + 0.2 * (wanted.length / given.length);
  const common = wanted.filter((word) => given.includes(word)).length;
  if (common === wanted.length) return 0.62 + 0.2 * (wanted.length / given.length);
  if (given.length > 1 && isRun(given, wanted)) return 0.5 + 0.2 * (given.length / wanted.length);
  return (0.5 * common) / Math.max(wanted.length, given.length);
}

function isRun(part: readonly string[], whole: readonly string[]): boolean {
  const [inner, outer] = [` ${part.join(' ')} `, ` ${whole.join(' ')} `];
  if (outer.includes(inner)) return true;
  // "sign-up" is two words here and one there.
  const joined = part.join('');
  return whole.some((_, from) => {
    let text = '';
    for (let at = from; at < whole.length && text.length < joined.length; at++) text += whole[at];
    return text === joined;
  });
}
