// Matches the patterns of documents (RE2 syntax) against texts of the product. A match takes linear time, which can still block the
// event loop: a heavy pattern is thrown as `HeavyPattern`, for a worker to match.

import { RE2JS } from 're2js';
import { maxSubjectLength, patternBudgetMs } from './limits.js';

/** `problem`: why the pattern could not be matched. */
export type PatternAnswer = { held: boolean } | { problem: string };

/** The worker's answers, by pattern and by text. */
export type PatternAnswers = ReadonlyMap<string, ReadonlyMap<string, PatternAnswer>>;

/** The caller has to match the pattern in a worker, and then evaluate again with the answer. */
export class HeavyPattern extends Error {
  constructor(
    readonly pattern: string,
    readonly subject: string,
  ) {
    super(`The pattern ${quotePattern(pattern)} is too heavy to match on the main thread.`);
  }
}

/** A comparison cannot be decided. */
export class UndecidedError extends Error {}

// An evaluation is synchronous, so that no other evaluation can see these answers.
let suppliedAnswers: PatternAnswers | undefined;

/** Evaluates with the worker's answers. A heavy pattern without one is thrown as `HeavyPattern`. */
export function withAnswers<T>(answers: PatternAnswers, evaluate: () => T): T {
  const outer = suppliedAnswers;
  suppliedAnswers = answers;
  try {
    return evaluate();
  } finally {
    suppliedAnswers = outer;
  }
}

/** Whether the pattern matches anywhere in the text. */
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

/** Whether compiling and matching together stay below 20 ms at worst. A step takes about 0.1 µs. */
export function isLight(pattern: string, length: number): boolean {
  if (pattern.length > maxPatternWeight) return false;
  const weight = weightOf(pattern);
  return weight <= maxPatternWeight && weight * length <= maxPatternSteps;
}

const maxPatternWeight = 1_000;
const maxPatternSteps = 150_000;

/** An escape, a class, a repetition, or any other single character. */
const token = /\\[pP](?:\{[^}]*\}|.)|\\.|\[(?:\\.|[^\]\\])*\]?|\{(\d+)(,?)(\d*)\}|./gs;
/** A Unicode class has hundreds of ranges. */
const unicodeClass = 60;

/** Estimates the number of instructions of a pattern from its text, since compiling it may already take seconds. */
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
  return (text.startsWith('[') ? text.length : 1) + unicode * unicodeClass;
}

/** A compiled pattern may cache some megabytes of matching states. */
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

// The rules have checked the patterns of the document, but not one that comes from an input.
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
  return `${quotePattern(pattern)} is not a valid pattern: ${why}. Look-around and back references are not supported.`;
}

export function overBudgetMessage(pattern: string, length: number, why = `was not matched within ${patternBudgetMs} ms`): string {
  return `the pattern ${quotePattern(pattern)} ${why} over ${length} characters. Use fewer repetitions in the pattern, ${readLessHint}.`;
}

function subjectTooLongMessage(pattern: string, length: number): string {
  const reason = `the text has ${length} characters, and patterns are matched against at most ${maxSubjectLength}`;
  return `the pattern ${quotePattern(pattern)} was not tried: ${reason}. Instead, ${readLessHint}.`;
}

const readLessHint = 'select a shorter text with "path", or look for a fixed text with "contains"';

function quotePattern(pattern: string): string {
  return JSON.stringify(pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern);
}
