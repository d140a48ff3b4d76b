// Patterns of documents over texts of the product: linear, but not free. What could hold up the event loop is left to somebody else.
import { RE2JS } from 're2js';

export const longestSubject = 1_048_576;
export const budgetMs = 250;

/** `problem`: why it cannot be said. */
export type Answer = { held: boolean } | { problem: string };

/** What was found out elsewhere, by pattern and by text. */
export type Answers = ReadonlyMap<string, ReadonlyMap<string, Answer>>;

/** Somebody else is to match it, and to evaluate again with the answer known. */
export class HeavyPattern extends Error {
  constructor(
    readonly pattern: string,
    readonly subject: string,
  ) {
    super(`The pattern ${shown(pattern)} takes too long to be matched here.`);
  }
}

/** Neither yes nor no can be said. */
export class Undecided extends Error {}

// An evaluation is over before anything else runs, so that nobody else can meet the answers it was given.
let known: Answers | undefined;

/** Has patterns that take long thrown as HeavyPattern, unless their answers are known. */
export function knowing<T>(answers: Answers, evaluate: () => T): T {
  const before = known;
  known = answers;
  try {
    return evaluate();
  } finally {
    known = before;
  }
}

/** Whether the pattern is found somewhere in the text. */
export function findsPattern(pattern: string, subject: string): boolean {
  if (!/[\\^$.|?*+()[\]{}]/.test(pattern)) return subject.includes(pattern);
  if (subject.length > longestSubject) throw new Undecided(tooLong(pattern, subject.length));
  if (isLight(pattern, subject.length)) return compiled(pattern).test(subject);
  if (!known) return compile(pattern).test(subject);
  const answer = known.get(pattern)?.get(subject);
  if (!answer) throw new HeavyPattern(pattern, subject);
  if ('problem' in answer) throw new Undecided(answer.problem);
  return answer.held;
}

/** What both compiling and matching take at worst, in steps of about 0.1 µs, has to stay below 20 ms. */
export function isLight(pattern: string, length: number): boolean {
  if (pattern.length > heaviest) return false;
  const weight = weightOf(pattern);
  return weight <= heaviest && weight * length <= mostSteps;
}

const heaviest = 1_000;
const mostSteps = 150_000;

/** Escapes, classes, repetitions, and everything else one by one. */
const token = /\\[pP](?:\{[^}]*\}|.)|\\.|\[(?:\\.|[^\]\\])*\]?|\{(\d+)(,?)(\d*)\}|./gs;
/** A class of Unicode holds hundreds of ranges. */
const unicodeClass = 60;

/** About how many instructions a pattern becomes; known from its text, since compiling it may already take seconds. */
export function weightOf(pattern: string): number {
  const groups: number[] = [];
  let [sum, last] = [0, 0];
  for (const [text, least, comma, most] of pattern.matchAll(token)) {
    if (text === '(') {
      groups.push(sum);
      sum = 2;
    } else if (least !== undefined) {
      const times = Math.max(1, Number(most || least)) * (comma ? 2 : 1);
      sum += last * (times - 1);
      last *= times;
    } else {
      const closed = text === ')' && groups.length > 0;
      last = closed ? sum : atomWeight(text);
      sum = last + (closed ? (groups.pop() ?? 0) : sum);
    }
  }
  return groups.reduce((all, part) => all + part, sum);
}

function atomWeight(text: string): number {
  const unicode = text.match(/\\[pP]/g)?.length ?? 0;
  return (text.startsWith('[') ? text.length : 1) + unicode * unicodeClass;
}

/** Each may keep some megabytes of what it learnt about texts. */
const mostKept = 20;
const kept = new Map<string, RE2JS>();

function compiled(pattern: string): RE2JS {
  const before = kept.get(pattern);
  if (before) return before;
  if (kept.size >= mostKept) kept.clear();
  const made = compile(pattern);
  kept.set(pattern, made);
  return made;
}

// The rules have seen the patterns of the document; one that an input gives is read here for the first time.
function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (thrown) {
    throw new Undecided(noPattern(pattern, thrown instanceof Error ? thrown.message : String(thrown)), { cause: thrown });
  }
}

export function noPattern(pattern: string, why: string): string {
  return `${shown(pattern)} is no pattern that can be matched: ${why}. Write one without look-around and back references.`;
}

export function overBudget(pattern: string, length: number, why = `was not matched within ${budgetMs} ms`): string {
  return `the pattern ${shown(pattern)} ${why} over ${length} characters. Repeat less in the pattern, ${readLess}.`;
}

function tooLong(pattern: string, length: number): string {
  const limit = `${length} characters are more than a pattern is looked for in (${longestSubject})`;
  return `${limit}, so that ${shown(pattern)} was not tried. Better ${readLess}.`;
}

const readLess = 'read a shorter text by "path", or look for a fixed text by "contains"';

function shown(pattern: string): string {
  return JSON.stringify(pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern);
}
