// One recipe in one Vitest test: the plain host runs it, its package lies in the cache until the reporter places it.
import type { TestContext } from 'vitest';
import type { RunOptions } from '../plain/prepareRun.js';
import { type RunResult, runRecipe } from '../plain/runRecipe.js';
import type { Identity } from '../shared/declaredTests.js';
import { problemIn } from '../shared/problemIn.js';
import { printRunFinding } from '../shared/refused.js';
import { keepRefused } from './keptDocuments.js';
import { recipePart } from './recipePart.js';
import type { Around } from './registerRecipe.js';
import { newAttempt } from './runDir.js';
import { Steps } from './steps.js';
import { pointAt } from './testError.js';
import type { Meta } from './wire.js';

/** `signal` interrupts the recipe; its teardown still runs. */
export async function runInTest(
  identity: Identity,
  { options, setup }: Around,
  context: TestContext,
  signal: AbortSignal,
): Promise<void> {
  const { task } = context;
  const loaded = await setup?.();
  const { vitest, inputs, ...given } = options;
  const steps = new Steps(context);
  const attempt = newAttempt(task.id);
  const asked: RunOptions = {
    ...{ ...given, ...attempt, signal, watch: steps, host: { name: 'vitest', version: vitest } },
    part: { ...recipePart(identity, attempt.artifactsDir), ...(inputs ? { inputs } : {}) },
  };
  if (loaded?.default) asked.setup = loaded.default;
  const ownActions = loaded?.default?.actions?.map(({ name }) => name) ?? [];
  if (ownActions.length > 0) (task.meta as Meta).recipewright = { ...identity, ownActions };
  const result = await runRecipe(identity.file, asked);
  if (!result.ran) {
    if (result.rejection?.documents.size) keepRefused(attempt.artifactsDir, result.rejection.documents);
    else {
      const problem = problemIn(result.findings);
      (task.meta as Meta).recipewright = { ...identity, invalid: true, ...(problem ? { problem } : {}) };
    }
    throw invalid(result, identity);
  }
  if (result.verdict !== 'pass') throw refuted(result, steps, identity);
}

function refuted({ summary }: RunResult & { ran: true }, { shown, failed }: Steps, { file }: Identity): Error {
  const error = new Error(`The recipe's verdict is ${summary.status}: ${summary.reason}\n\n${shown.join('\n')}`);
  // JUnit and TAP name it: what the product refuted is no error of the test.
  if (summary.cause_class === 'subject') error.name = 'AssertionError';
  const [first] = failed;
  return pointAt(error, first?.place ?? { file, line: 1, column: 1 }, first?.subtitle ?? 'recipe');
}

function invalid({ findings, text }: RunResult, { file, example }: Identity): Error {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const shown = errors.map((finding) => printRunFinding(finding, text));
  const error = new Error(`The ${example ? 'flow' : 'recipe'} cannot be run:\n\n${shown.join('\n\n')}\n`);
  return pointAt(error, errors[0]?.place ?? { file, line: 1, column: 1 }, 'recipe');
}
