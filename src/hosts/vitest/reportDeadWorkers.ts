// The reporter that hears of the end before all others: it tells them of tests that Vitest itself leaves without a result.
import type { Reporter, SerializedError, TestCase, TestModule, TestRunEndReason, TestSpecification, Vitest } from 'vitest/node';
import { signalExitCodes } from '../../evidence/exitCodes.js';
import { systemClock } from '../../system/clock.js';
import { repeatWindowMs } from '../../system/processes/processEvents.js';
import type { DocumentModules } from './documentModules.js';
import { type EvidenceProblems, finishRun } from './runEnd.js';
import { identityOf, sendPackages, strayErrorsIn } from './testPackages.js';

export class DeadWorkerReporter implements Reporter {
  private vitest: Vitest | undefined;
  private stopListening = (): void => undefined;
  private isFirstRun = true;
  private readonly documents: DocumentModules[] = [];

  constructor(private readonly isBlob: boolean) {}

  /** A run that is not filtered has to come to some of them. */
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
      const [stray] = strayErrorsIn(test, unhandled);
      if (test.result().state === 'pending') failTest(test, `The test never ended: ${describeWorkerDeath(test, unhandled)}`);
      else if (stray) failTest(test, `Something was thrown that nobody caught: ${stray.message}`);
      if (this.isBlob) sendPackages(test, this.vitest?.config.attachmentsDir ?? '');
    }
    if (!this.isBlob) failWithoutEvidence(tests, finishRun({ modules, unhandled, reason }));
    this.stopListening();
  }
}

/** The exit code is going to be 1, so no report may call the run a success. */
function failWithoutEvidence(tests: readonly TestCase[], { tests: problemsByTest, run }: EvidenceProblems): void {
  for (const test of tests) {
    const why = problemsByTest.get(test.id);
    if (why !== undefined && test.result().state === 'passed') failTest(test, why);
  }
  const last = tests.findLast((test) => test.result().state === 'passed');
  const isGreen = !tests.some((test) => test.result().state === 'failed');
  if (run.length > 0 && last && isGreen) failTest(last, `The evidence of the run is not complete: ${run.join(' ')}`);
}

const missingRecipesHint = 'Look at "exclude" and "dir" of the Vitest config: they must leave the recipes in.';

/** By the command line. What the config leaves out for good is no filter. */
function isFiltered(vitest: Vitest): boolean {
  const { config, filenamePattern } = vitest as unknown as { config: Record<string, unknown>; filenamePattern?: string[] };
  const { project, changed, related, shard, cliExclude, mergeReports, testNamePattern, tagsFilter } = config;
  const lists = [filenamePattern, project, related, cliExclude, tagsFilter];
  return (
    lists.some((list) => Array.isArray(list) && list.length > 0) ||
    [changed, shard, mergeReports, testNamePattern].some(Boolean) ||
    process.argv.some((arg) => /^--dir(=|$)/.test(arg))
  );
}

type Task = { mode: string; result?: { state: string; errors?: SerializedError[] } };

// Vitest counts a test whose worker died among those that wait, and one with stray errors as passed: its reports are then green.
function failTest(test: TestCase, message: string): void {
  const task = (test as unknown as { task: Task }).task;
  if (task.mode === 'skip' || task.mode === 'todo') return;
  task.result = { ...task.result, state: 'fail', errors: [{ name: 'Error', message, stack: `Error: ${message}` }] };
}

// One worker may have died of many, and what it died of stands in the cause of the error.
function describeWorkerDeath(test: TestCase, unhandled: readonly SerializedError[]): string {
  const causes = unhandled.map((error) => messageOf(error.cause) ?? error.message);
  const ofModule = causes.filter((message) => message.includes(test.module.moduleId));
  return (ofModule.length > 0 ? ofModule : causes).join('; ') || 'the run was over before.';
}

function messageOf(cause: unknown): string | undefined {
  const { message } = Object(cause) as { message?: unknown };
  return typeof message === 'string' ? message : undefined;
}

// SIGINT, SIGTERM and SIGHUP to Vitest end the run as if it were cancelled: the nodes in flight end, and the reporters write.

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What comes back undoes it. */
export function cancelRunOnSignal(vitest: Vitest): () => void {
  let receivedSignal: NodeJS.Signals | undefined;
  let receivedAt = 0;
  const cancel = (signal: NodeJS.Signals): void => {
    const now = systemClock.now();
    if (receivedSignal !== undefined && now - receivedAt <= repeatWindowMs) return;
    if (receivedSignal !== undefined) process.exit();
    receivedSignal = signal;
    receivedAt = now;
    process.exitCode = signalExitCodes[signal] ?? 1;
    void vitest.cancelCurrentRun('keyboard-input');
  };
  // Vitest's own listeners end the process a millisecond later.
  const previousListeners = signals.map((signal) => [signal, process.listeners(signal)] as const);
  for (const [signal, listeners] of previousListeners) {
    for (const listener of listeners) process.off(signal, listener);
    process.on(signal, cancel);
  }
  return () => {
    for (const [signal, listeners] of previousListeners) {
      process.off(signal, cancel);
      for (const listener of listeners) process.once(signal, listener);
    }
    if (receivedSignal !== undefined) process.exitCode = signalExitCodes[receivedSignal] ?? 1;
  };
}
