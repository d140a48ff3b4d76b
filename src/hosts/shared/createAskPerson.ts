// Answers the question of a manual node from the configured answers, or else asks a person at the terminal.
import { createInterface } from 'node:readline/promises';
import type { AskPerson, ManualAnswer } from '../../actions/action.js';
import { oneLine } from '../../document/printFinding.js';

export type Answers = Readonly<Record<string, 'pass' | 'fail'>>;

/** `terminal`: whether to ask there if no answer is configured. Otherwise, the question stays unanswered. */
export function createAskPerson(answers: Answers, terminal: boolean): AskPerson {
  return async ({ id, path, instruction, signal }) => {
    const key = [path, id].find((name) => Object.hasOwn(answers, name));
    if (key !== undefined) return { answer: answers[key] ?? 'fail', by: 'answer' };
    return terminal ? askAtTerminal(instruction, signal) : undefined;
  };
}

async function askAtTerminal(instruction: string, signal: AbortSignal): Promise<ManualAnswer | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const reply = await lines.question(`\n${oneLine(instruction)}\nDoes it hold? (p)ass, (f)ail, (s)kip: `, { signal });
      const word = reply.trim().toLowerCase();
      if (['p', 'pass', 'y', 'yes'].includes(word)) return { answer: 'pass', by: 'terminal' };
      if (['f', 'fail', 'n', 'no'].includes(word)) return { answer: 'fail', by: 'terminal' };
      if (['s', 'skip', ''].includes(word)) return undefined;
    }
  } catch (thrown) {
    // AbortError: the run ended before the person answered.
    if (signal.aborted) return undefined;
    throw thrown;
  } finally {
    lines.close();
  }
}
