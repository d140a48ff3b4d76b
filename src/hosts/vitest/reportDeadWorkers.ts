// A reporter that runs before all other reporters. It fails the tests that Vitest leaves without a result or with an uncaught error,
// so that every report shows them as failed.
import type { Reporter, SerializedError, TestCase, TestModule, TestRunEndReason, TestSpecification, Vitest } from 'vitest/node';
import type { DocumentModules } from './documentModules.js';
import { cancelRunOnSignal } from './internals/cancelRunOnSignal.js';
import { isFiltered } from './internals/runFilters.js';
import { failTest } from './internals/testTask.js';
import { describeWorkerDeath, unhandledErrorsOf } from './internals/unhandledErrors.js';
import { type EvidenceProblems, finishRun } from './runEnd.js';
import { identityOf, sendPackages } from './testPackages.js';

export class DeadWorkerReporter implements Reporter {
  private vitest: Vitest | undefined;
  private stopListening = (): void => undefined;
  private isFirstRun = true;
  private readonly documents: DocumentModules[] = [];

  constructor(private readonly isBlob: boolean) {}

  /** Makes a run without filters fail unless at least one of these documents is part of the run. */
  expectDocuments(documents: DocumentModules): void {
    this.documents.push(documents);
  }

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    if (!this.vitest) return;
    if (this.isFirstRun && !isFiltered(this.vitest)) this.requireRecipesIn(specifications);
    this.isFirstRun = false;
    this.stopListening = cancelRunOnSignal(this.vitest);
  }

  private requireRecipesIn(specifications: readonly TestSpecification[]): void {
    const missing = this.documents.find((documents) => !specifications.some(({ moduleId }) => documents.has(moduleId)));
    if (missing)
      throw new Error(
        `No recipe is part of this run, although documents match ${missing.searchDescription}. ${missingRecipesHint}`,
      );
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[], reason: TestRunEndReason): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()].filter((test) => identityOf(test)));
    for (const test of tests) {
      const [error] = unhandledErrorsOf(test, unhandled);
      if (test.result().state === 'pending') failTest(test, `The test never ended: ${describeWorkerDeath(test, unhandled)}`);
      else if (error) failTest(test, `Uncaught error during the test: ${error.message}`);
      if (this.isBlob) sendPackages(test, this.vitest?.config.attachmentsDir ?? '');
    }
    if (!this.isBlob) failWithoutEvidence(tests, finishRun({ modules, unhandled, reason }));
    this.stopListening();
  }
}

const missingRecipesHint = 'Check "exclude" and "dir" of the Vitest config: they must not leave the recipes out.';

/** Fails tests whose evidence is incomplete. The exit code will be 1, so no report may show the run as passed. */
function failWithoutEvidence(tests: readonly TestCase[], { tests: problemsByTest, run }: EvidenceProblems): void {
  for (const test of tests) {
    const problem = problemsByTest.get(test.id);
    if (problem !== undefined && test.result().state === 'passed') failTest(test, problem);
  }
  const lastPassed = tests.findLast((test) => test.result().state === 'passed');
  const hasNoFailure = !tests.some((test) => test.result().state === 'failed');
  if (run.length > 0 && lastPassed && hasNoFailure)
    failTest(lastPassed, `The evidence of the run is not complete: ${run.join(' ')}`);
}
