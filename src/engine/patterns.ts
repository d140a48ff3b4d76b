// Patterns of documents over texts of the product: linear, but not free. What could hold up the event loop is left to somebody else.
import { RE2JS } from 're2js';
import { maxSubjectLength, patternBudgetMs } from './limits.js';

/** `problem`: why it cannot be said. */
export type PatternAnswer = { held: boolean } | { problem: string };

/** What was found out elsewhere, by pattern and by text. */
export type PatternAnswers = ReadonlyMap<string, ReadonlyMap<string, PatternAnswer>>;

/** Somebody else is to match it, and to evaluate again with the answer known. */
export class HeavyPattern extends Error {
  constructor(
    readonly pattern: string,
    readonly subject: string,
  ) {
    super(`The pattern ${quotePattern(pattern)} takes too long to be matched here.`);
  }
}

/** Neither yes nor no can be said. */
export class UndecidedError extends Error {}

// An evaluation is over before anything else runs, so that nobody else can meet the answers it was given.
let suppliedAnswers: PatternAnswers | undefined;

/** Has patterns that take long thrown as HeavyPattern, unless their answers are known. */
export function withAnswers<T>(answers: PatternAnswers, evaluate: () => T): T {
  const before = suppliedAnswers;
  suppliedAnswers = answers;
  try {
    return evaluate();
  } finally {
    suppliedAnswers = before;
  }
}

/** Whether the pattern is found somewhere in the text. */
export function findsPattern(pattern: string, subject: string): boolean {
  if (!/[\\^$.|?*+()[\]{}]/.test(pattern)) return subject.includes(pattern);
  if (subject.length > maxSubjectLength) throw new UndecidedError(subjectTooLongMessage(pattern, subject.length));
  if (isLight(pattern, subject.length)) return compileCached(pattern).test(subject);
  if (!suppliedAnswers) return compile(pattern).test(subject);
  const answer = suppliedAnswers.get(pattern)?.get(subject);
  if (!answer) throw new HeavyPattern(pattern, subject);
  if ('problem' in answer) throw new UndecidedError(answer.problem);
  return answer.held;
}

/** What both compiling and matching take at worst, in steps of about 0.1 µs, has to stay below 20 ms. */
export function isLight(pattern: string, length: number): boolean {
  if (pattern.length > maxPatternWeight) return false;
  const weight = weightOf(pattern);
  return weight <= maxPatternWeight && weight * length <= maxPatternSteps;
}

const maxPatternWeight = 1_000;
const maxPatternSteps = 150_000;

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
const maxCompiledPatterns = 20;
const compiledPatterns = new Map<string, RE2JS>();

function compileCached(pattern: string): RE2JS {
  const before = compiledPatterns.get(pattern);
  if (before) return before;
  if (compiledPatterns.size >= maxCompiledPatterns) compiledPatterns.clear();
  const made = compile(pattern);
  compiledPatterns.set(pattern, made);
  return made;
}

// The rules have seen the patterns of the document; one that an input gives is read here for the first time.
function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (thrown) {
    throw new UndecidedError(invalidPatternMessage(pattern, thrown instanceof Error ? thrown.message : String(thrown)), {
      cause: thrown,
    });
  }
}

export function invalidPatternMessage(pattern: string, why: string): string {
  return `${quotePattern(pattern)} is no pattern that can be matched: ${why}. Write one without look-around and back references.`;
}

export function overBudgetMessage(pattern: string, length: number, why = `was not matched within ${patternBudgetMs} ms`): string {
  return `the pattern ${quotePattern(pattern)} ${why} over ${length} characters. Repeat less in the pattern, ${readLessHint}.`;
}

function subjectTooLongMessage(pattern: string, length: number): string {
  const limit = `${length} characters are more than a pattern is looked for in (${maxSubjectLength})`;
  return `${limit}, so that ${quotePattern(pattern)} was not tried. Better ${readLessHint}.`;
}

const readLessHint = 'read a shorter text by "path", or look for a fixed text by "contains"';

function quotePattern(pattern: string): string {
  return JSON.stringify(pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern);
}
