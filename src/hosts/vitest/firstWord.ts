// The reporter that hears of the end before all others: it tells them of tests that Vitest itself leaves without a result.
import type { Reporter, SerializedError, TestCase, TestModule, TestRunEndReason, TestSpecification, Vitest } from 'vitest/node';
import type { DocumentModules } from './documentModules.js';
import { endBySignal } from './endBySignal.js';
import { type EvidenceProblems, finishRun } from './finishRun.js';
import { identityOf, strayIn } from './readTest.js';
import { sendPackages } from './sendPackages.js';

export class FirstWord implements Reporter {
  private vitest: Vitest | undefined;
  private stopListening = (): void => undefined;
  private isFirstRun = true;
  private readonly documents: DocumentModules[] = [];

  constructor(private readonly isBlob: boolean) {}

  /** A run that is not filtered has to come to some of them. */
  expect(documents: DocumentModules): void {
    this.documents.push(documents);
  }

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    if (!this.vitest) return;
    if (this.isFirstRun && !isFiltered(this.vitest)) this.findRecipesIn(specifications);
    this.isFirstRun = false;
    this.stopListening = endBySignal(this.vitest);
  }

  private findRecipesIn(specifications: readonly TestSpecification[]): void {
    const missing = this.documents.find((documents) => !specifications.some(({ moduleId }) => documents.has(moduleId)));
    if (missing) throw new Error(`No recipe is part of this run, although documents match ${missing.where}. ${whatToDo}`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[], reason: TestRunEndReason): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()].filter((test) => identityOf(test)));
    for (const test of tests) {
      const [stray] = strayIn(test, unhandled);
      if (test.result().state === 'pending') fail(test, `The test never ended: ${deathOf(test, unhandled)}`);
      else if (stray) fail(test, `Something was thrown that nobody caught: ${stray.message}`);
      if (this.isBlob) sendPackages(test, this.vitest?.config.attachmentsDir ?? '');
    }
    if (!this.isBlob) failWithoutEvidence(tests, finishRun({ modules, unhandled, reason }));
    this.stopListening();
  }
}

/** The exit code is going to be 1, so no report may call the run a success. */
function failWithoutEvidence(tests: readonly TestCase[], { tests: lost, run }: EvidenceProblems): void {
  for (const test of tests) {
    const why = lost.get(test.id);
    if (why !== undefined && test.result().state === 'passed') fail(test, why);
  }
  const last = tests.findLast((test) => test.result().state === 'passed');
  const isGreen = !tests.some((test) => test.result().state === 'failed');
  if (run.length > 0 && last && isGreen) fail(last, `The evidence of the run is not complete: ${run.join(' ')}`);
}

const whatToDo = 'Look at "exclude" and "dir" of the Vitest config: they must leave the recipes in.';

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
function fail(test: TestCase, message: string): void {
  const task = (test as unknown as { task: Task }).task;
  if (task.mode === 'skip' || task.mode === 'todo') return;
  task.result = { ...task.result, state: 'fail', errors: [{ name: 'Error', message, stack: `Error: ${message}` }] };
}

// One worker may have died of many, and what it died of stands in the cause of the error.
function deathOf(test: TestCase, unhandled: readonly SerializedError[]): string {
  const causes = unhandled.map((error) => messageOf(error.cause) ?? error.message);
  const own = causes.filter((message) => message.includes(test.module.moduleId));
  return (own.length > 0 ? own : causes).join('; ') || 'the run was over before.';
}

function messageOf(cause: unknown): string | undefined {
  const { message } = Object(cause) as { message?: unknown };
  return typeof message === 'string' ? message : undefined;
}
