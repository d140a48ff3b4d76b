// Evaluates assertions without blocking the event loop: a thread matches regular expressions that may take long.

import type { Evaluation } from '../engine/evaluateAssertion.js';
import { HeavyPattern, overBudgetMessage, type PatternAnswer, withAnswers } from '../engine/patterns.js';
import { RecipeError } from '../evidence/recipeError.js';
import { matchInThread } from './patternThread.js';

/** Calls `evaluate` again after each pattern that the thread has matched, until all answers are known. */
export async function evaluateWithPatternThread<T>(evaluate: () => T): Promise<T> {
  const answers = new Map<string, Map<string, PatternAnswer>>();
  for (;;) {
    try {
      return withAnswers(answers, evaluate);
    } catch (thrown) {
      if (!(thrown instanceof HeavyPattern)) throw thrown;
      const { pattern, subject } = thrown;
      const bySubject = answers.get(pattern) ?? new Map<string, PatternAnswer>();
      answers.set(pattern, bySubject.set(subject, await findAnswer(thrown, answers)));
    }
  }
}

/** After this many timeouts, further patterns are not tried. An assertion with a hundred slow patterns takes about a second. */
const maxTimeouts = 4;

async function findAnswer(
  { pattern, subject }: HeavyPattern,
  answers: Map<string, Map<string, PatternAnswer>>,
): Promise<PatternAnswer> {
  const timedOut = [...answers.values()].flatMap((bySubject) => [...bySubject.values()]).filter((answer) => 'problem' in answer);
  if (timedOut.length >= maxTimeouts)
    return {
      problem: overBudgetMessage(pattern, subject.length, `was not tried after ${maxTimeouts} others that took too long`),
    };
  try {
    return await matchInThread(pattern, subject);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `No thread could be started to match the pattern ${JSON.stringify(pattern)}: ${why}`;
    throw new RecipeError('assertion.no_matcher', 'environment', message, undefined, { cause: thrown });
  }
}

/** Returns whether a condition holds. Throws when the condition cannot be evaluated, so that no branch is taken. */
export function requireDecision({ held, problem }: Evaluation): boolean {
  if (problem !== undefined) throw undecidedError(problem);
  return held;
}

export function undecidedError(problem: string): RecipeError {
  return new RecipeError('assertion.undecided', 'assertion', `The condition cannot be evaluated: ${problem}`);
}
