// Matches the regular expressions of documents (RE2 syntax) against strings of the app under test. A match takes linear time, but can
// still block the event loop. `HeavyPattern` is thrown instead of a slow match, and the caller then matches in a thread.

import { RE2JS } from 're2js';
import { maxSubjectLength, patternBudgetMs } from './limits.js';

/** `problem`: the reason why the pattern could not be matched. */
export type PatternAnswer = { held: boolean } | { problem: string };

/** The answers of the pattern thread, by pattern and by string. */
export type PatternAnswers = ReadonlyMap<string, ReadonlyMap<string, PatternAnswer>>;

/** Thrown for a pattern that takes too long on the main thread. The caller matches it in a thread, and evaluates again with the answer. */
export class HeavyPattern extends Error {
  constructor(
    readonly pattern: string,
    readonly subject: string,
  ) {
    super(`The pattern ${quotePattern(pattern)} is too heavy to match on the main thread.`);
  }
}

/** Thrown when a comparison cannot be decided. */
export class UndecidedError extends Error {}

// A global is safe here: an evaluation is synchronous, so no other evaluation can see these answers.
let suppliedAnswers: PatternAnswers | undefined;

/** Evaluates with the answers of the pattern thread. Throws `HeavyPattern` for a heavy pattern without an answer. */
export function withAnswers<T>(answers: PatternAnswers, evaluate: () => T): T {
  const outer = suppliedAnswers;
  suppliedAnswers = answers;
  try {
    return evaluate();
  } finally {
    suppliedAnswers = outer;
  }
}

/** Returns whether the pattern matches anywhere in the string. @throws HeavyPattern, UndecidedError */
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

/** Returns whether compiling and matching together take at most 20 ms in the worst case. One step takes about 0.1 µs. */
export function isLight(pattern: string, length: number): boolean {
  if (pattern.length > maxPatternWeight) return false;
  const weight = weightOf(pattern);
  return weight <= maxPatternWeight && weight * length <= maxPatternSteps;
}

const maxPatternWeight = 1_000;
const maxPatternSteps = 150_000;

/** An escape, a class, a repetition, or any other single character. */
const token = /\\[pP](?:\{[^}]*\}|.)|\\.|\[(?:\\.|[^\]\\])*\]?|\{(\d+)(,?)(\d*)\}|./gs;
/** The weight of a Unicode class, which has hundreds of ranges. */
const unicodeClassWeight = 60;

/** Estimates the number of instructions of a pattern from its source, because compiling the pattern may already take seconds. */
export function weightOf(pattern: string): number {
  const groups: number[] = [];
  let sum = 0;
  let last = 0;
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
  return (text.startsWith('[') ? text.length : 1) + unicode * unicodeClassWeight;
}

/** A compiled pattern may keep some megabytes of states, so only a few are cached. */
const maxCompiledPatterns = 20;
const compiledPatterns = new Map<string, RE2JS>();

function compileCached(pattern: string): RE2JS {
  const cached = compiledPatterns.get(pattern);
  if (cached) return cached;
  if (compiledPatterns.size >= maxCompiledPatterns) compiledPatterns.clear();
  const compiled = compile(pattern);
  compiledPatterns.set(pattern, compiled);
  return compiled;
}

// The rules check the patterns in a document. A pattern from an input can still be invalid.
function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (thrown) {
    throw new UndecidedError(invalidPatternMessage(pattern, thrown instanceof Error ? thrown.message : String(thrown)), {
      cause: thrown,
    });
  }
}

export function invalidPatternMessage(pattern: string, reason: string): string {
  return `${quotePattern(pattern)} is not a valid pattern: ${reason}. Look-around and back references are not supported.`;
}

export function overBudgetMessage(
  pattern: string,
  length: number,
  problem = `was not matched within ${patternBudgetMs} ms`,
): string {
  return `the pattern ${quotePattern(pattern)} ${problem} over ${length} characters. Use fewer repetitions in the pattern, ${readLessHint}.`;
}

function subjectTooLongMessage(pattern: string, length: number): string {
  const reason = `the string has ${length} characters, more than the limit of ${maxSubjectLength}`;
  return `the pattern ${quotePattern(pattern)} was not tried: ${reason}. Instead, ${readLessHint}.`;
}

const readLessHint = 'select a shorter string with "path", or search for a fixed string with "contains"';

function quotePattern(pattern: string): string {
  return JSON.stringify(pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern);
}
