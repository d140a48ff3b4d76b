// Evaluates what may hold patterns that take long: those are matched elsewhere, and it is evaluated again with the answers known.

import type { Evaluation } from '../engine/evaluateAssertion.js';
import { HeavyPattern, overBudgetMessage, type PatternAnswer, withAnswers } from '../engine/patterns.js';
import { RecipeError } from '../evidence/recipeError.js';
import { matchInThread } from './patternThread.js';

/** `evaluate` may run several times. */
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

/** So that an assertion of a hundred such patterns takes a second, too. */
const maxTimeouts = 4;

async function findAnswer(
  { pattern, subject }: HeavyPattern,
  answers: Map<string, Map<string, PatternAnswer>>,
): Promise<PatternAnswer> {
  const timedOut = [...answers.values()].flatMap((of) => [...of.values()]).filter((answer) => 'problem' in answer);
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

/** Whether a branch is taken. Where nobody can say so, none is. */
export function requireDecision({ held, problem }: Evaluation): boolean {
  if (problem !== undefined) throw undecidedError(problem);
  return held;
}

export function undecidedError(problem: string): RecipeError {
  return new RecipeError('assertion.undecided', 'assertion', `Nobody can say which way to go: ${problem}`);
}
