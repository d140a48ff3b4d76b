// One recipe in one Vitest test: the plain host runs it, its package lies in the cache until the reporter places it.
import type { TestContext } from 'vitest';
import { type LoadedCatalog, loadCatalog } from '../../check/loadCatalog.js';
import { type LoadOptions, type LoadResult, loadDocument } from '../../check/loadRecipe.js';
import type { Finding, Place } from '../../document/finding.js';
import type { DocumentRead } from '../../document/readDocument.js';
import { ensuresState, secondCall } from '../../formats/classic/catalogExample.js';
import type { Setup } from '../../registry/setup.js';
import type { StepInfo } from '../../run/host.js';
import { readOnlyRegistry } from '../../run/readOnlyRegistry.js';
import type { RunOptions, RunPart } from '../plain/prepareRun.js';
import { type RunResult, runRecipe } from '../plain/runRecipe.js';
import type { DeclaredIdentity, ExampleReference } from '../shared/declaredTests.js';
import { printRunFinding } from '../shared/refusedRun.js';
import { summarizeErrors } from '../shared/suiteProblems.js';
import { protocolTypes, type TestMeta } from './reporterProtocol.js';
import { nextAttempt, writeDocuments, writeRefusedDocuments } from './runDir.js';

/** `signal` interrupts the recipe; its teardown still runs. */
export async function runInTest(
  identity: DeclaredIdentity,
  { options, setup }: TestEnvironment,
  context: TestContext,
  signal: AbortSignal,
): Promise<void> {
  const { task } = context;
  const setupModule = await setup?.();
  const { vitest, inputs, ...runOptions } = options;
  const steps = new StepReport(context);
  const attempt = nextAttempt(task.id);
  const request: RunOptions = {
    ...{ ...runOptions, ...attempt, signal, watch: steps, host: { name: 'vitest', version: vitest } },
    part: { ...recipePart(identity, attempt.artifactsDir), ...(inputs ? { inputs } : {}) },
  };
  if (setupModule?.default) request.setup = setupModule.default;
  const ownActions = setupModule?.default?.actions?.map(({ name }) => name) ?? [];
  if (ownActions.length > 0) (task.meta as TestMeta).recipewright = { ...identity, ownActions };
  const result = await runRecipe(identity.file, request);
  if (!result.ran) {
    if (result.rejection?.documents.size) writeRefusedDocuments(attempt.artifactsDir, result.rejection.documents);
    else {
      const problem = summarizeErrors(result.findings);
      (task.meta as TestMeta).recipewright = { ...identity, invalid: true, ...(problem ? { problem } : {}) };
    }
    throw invalidError(result, identity);
  }
  if (result.verdict !== 'pass') throw verdictError(result, steps, identity);
}

function verdictError({ summary }: RunResult & { ran: true }, { lines, failed }: StepReport, { file }: DeclaredIdentity): Error {
  const error = new Error(`The recipe's verdict is ${summary.status}: ${summary.reason}\n\n${lines.join('\n')}`);
  // JUnit and TAP name it: what the product refuted is no error of the test.
  if (summary.cause_class === 'subject') error.name = 'AssertionError';
  const [first] = failed;
  return setErrorPlace(error, first?.place ?? { file, line: 1, column: 1 }, first?.subtitle ?? 'recipe');
}

function invalidError({ findings, text }: RunResult, { file, example }: DeclaredIdentity): Error {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const messages = errors.map((finding) => printRunFinding(finding, text));
  const error = new Error(`The ${example ? 'flow' : 'recipe'} cannot be run:\n\n${messages.join('\n\n')}\n`);
  return setErrorPlace(error, errors[0]?.place ?? { file, line: 1, column: 1 }, 'recipe');
}
/** What the plugin hands on to every test; text in its module. */

export type TestOptions = Pick<RunOptions, 'projectRoot' | 'browser' | 'inputs' | 'answers'> & { vitest: string };
export type TestEnvironment = {
  options: TestOptions;
  setup: (() => Promise<{ default?: Setup }>) | undefined;
  /** Processes, deadlines and timestamps of a recipe are real: with fake timers it would wait forever. */
  useRealTimers(): void;
};

// What the plain host is to run of a document: the recipe, or an example of a catalog. Its documents are kept before anything runs.

/** `artifactsDir`: where the package is going to be. */
export function recipePart({ id, example }: DeclaredIdentity, artifactsDir: string): RunPart {
  const load = (read: DocumentRead, options: LoadOptions): LoadResult =>
    example ? findExample(loadCatalogOnce(read, options), example, read) : loadDocument(read, options);
  return {
    id,
    load(read, options) {
      const found = load(read, options);
      const loaded = found.loaded ?? found.rejected;
      if (loaded) writeDocuments(artifactsDir, loaded);
      return found;
    },
    guard: (registry) => (example && ensuresState(example.flow) ? readOnlyRegistry(registry, secondCall) : registry),
  };
}

function findExample(
  { flows, findings, text }: LoadedCatalog,
  { flow, index }: ExampleReference,
  { document }: DocumentRead,
): LoadResult {
  const found = flows.find(({ id }) => id === flow);
  const problems = found ? found.findings : findings;
  const example = problems.length > 0 ? undefined : found?.examples[index];
  return example ?? { findings: problems.length > 0 ? problems : [emptyCatalogFinding(document)], text };
}

function emptyCatalogFinding(document: DocumentRead['document']): Finding {
  const place = document?.place('') ?? { file: '', line: 1, column: 1 };
  const message = 'The catalog has no flows, so that there is nothing to run.';
  const hint = 'Write flows with examples, or take the file out of "recipes" of the plugin.';
  return { code: 'flow.none_in_catalog', severity: 'error', path: '', place, message, hint };
}

// The tests of one catalog run in one worker, one after the other, with the same setup.
let lastCatalog: { text: string; load: LoadedCatalog } | undefined;

function loadCatalogOnce(read: DocumentRead, options: LoadOptions): LoadedCatalog {
  if (lastCatalog?.text !== read.text) lastCatalog = { text: read.text, load: loadCatalog(read, options) };
  return lastCatalog.load;
}

// Nodes as Vitest shows them: annotations while they run, a list in the message of a test that failed.

export class StepReport {
  /** One line per node that ended, in order. */
  readonly lines: string[] = [];
  readonly failed: { place: Place; subtitle: string }[] = [];

  constructor(private readonly context: TestContext) {}

  begins({ title, skip }: StepInfo): void {
    // A test that was cancelled takes none any more.
    if (this.context.signal.aborted) return;
    // Nobody waits for it here: Vitest does, at the end of the test.
    void this.context.annotate(skip === undefined ? title : `${title} (skipped: ${skip})`, protocolTypes.node);
  }

  ends({ title, subtitle, place, skip }: StepInfo, failure: unknown): void {
    const mark = skip !== undefined ? '-' : failure === undefined ? '✓' : '✗';
    this.lines.push(`${mark} ${title} (${subtitle})`);
    if (failure !== undefined) this.failed.push({ place, subtitle });
  }
}

// Errors as Vitest shows them: with the frame of the document.

// Vitest shows the first frame that lies in the project, and reads its line by the map of the module: there every line is its own.
export function setErrorPlace(error: Error, { file, line, column }: Place, name: string): Error {
  error.stack = `${error.name}: ${error.message}\n    at ${name.replace(/[()]/g, ' ')} (${file}:${line}:${column})`;
  return error;
}
