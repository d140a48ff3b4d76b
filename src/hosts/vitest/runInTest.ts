// Runs one recipe in one Vitest test with the plain host. The reporter writes the package from the cache to the output directory.
import type { TestContext } from 'vitest';
import { type LoadedCatalog, loadCatalog } from '../../check/loadCatalog.js';
import { type LoadOptions, type LoadResult, loadDocument } from '../../check/loadRecipe.js';
import type { Finding, Place } from '../../document/finding.js';
import type { DocumentRead } from '../../document/readDocument.js';
import { ensuresState, secondCall } from '../../formats/classic/catalogExample.js';
import type { Setup } from '../../registry/setup.js';
import { createReadOnlyRegistry } from '../../run/createReadOnlyRegistry.js';
import type { StepInfo } from '../../run/host.js';
import type { RunOptions, RunPart } from '../plain/prepareRun.js';
import { type RunResult, runRecipe } from '../plain/runRecipe.js';
import type { DeclaredIdentity, ExampleReference } from '../shared/declaredTests.js';
import { summarizeErrors } from '../shared/suiteProblems.js';
import { printErrors } from './printErrors.js';
import { protocolTypes, type TestMeta } from './reporterProtocol.js';
import { nextAttempt, writeDocuments, writeRefusedDocuments } from './runDir.js';

/** The options of the plugin, as the module of a document passes them to each test. */
export type TestOptions = Pick<RunOptions, 'projectRoot' | 'browser' | 'inputs' | 'answers'> & { vitest: string };

export type TestEnvironment = {
  options: TestOptions;
  setup: (() => Promise<{ default?: Setup }>) | undefined;
  /** Removes fake timers, because a recipe would wait forever with them. */
  useRealTimers(): void;
};

/** `signal` interrupts the recipe, but its teardown still runs. */
export async function runInTest(
  identity: DeclaredIdentity,
  { options, setup }: TestEnvironment,
  context: TestContext,
  signal: AbortSignal,
): Promise<void> {
  const { task } = context;
  const meta = task.meta as TestMeta;
  const setupModule = await setup?.();
  const { vitest, inputs, ...runOptions } = options;
  const steps = new StepReport(context);
  const { attempt, artifactsDir } = nextAttempt(task.id);
  const request: RunOptions = {
    ...runOptions,
    attempt,
    artifactsDir,
    signal,
    watch: steps,
    host: { name: 'vitest', version: vitest },
    part: { ...createRunPart(identity, artifactsDir), ...(inputs ? { inputs } : {}) },
  };
  if (setupModule?.default) request.setup = setupModule.default;
  const ownActions = setupModule?.default?.actions?.map(({ name }) => name) ?? [];
  if (ownActions.length > 0) meta.recipewright = { ...identity, ownActions };
  const result = await runRecipe(identity.file, request);
  if (!result.ran) {
    if (result.rejection?.documents.size) writeRefusedDocuments(artifactsDir, result.rejection.documents);
    else {
      const problem = summarizeErrors(result.findings);
      meta.recipewright = { ...identity, invalid: true, ...(problem ? { problem } : {}) };
    }
    throw createInvalidError(result, identity);
  }
  if (result.verdict !== 'pass') throw createVerdictError(result, steps, identity);
}

function createVerdictError(
  { summary }: RunResult & { ran: true },
  { lines, failed }: StepReport,
  { file }: DeclaredIdentity,
): Error {
  const error = new Error(`The recipe's verdict is ${summary.status}: ${summary.reason}\n\n${lines.join('\n')}`);
  // JUnit and TAP print the name. A claim that the app under test does not meet is a failed assertion, not an error of the test.
  if (summary.cause_class === 'subject') error.name = 'AssertionError';
  const [first] = failed;
  return setErrorPlace(error, first?.place ?? { file, line: 1, column: 1 }, first?.subtitle ?? 'recipe');
}

function createInvalidError(result: RunResult, { file, example }: DeclaredIdentity): Error {
  const error = new Error(`The ${example ? 'flow' : 'recipe'} cannot be run:\n\n${printErrors(result)}\n`);
  const first = result.findings.find(({ severity }) => severity === 'error');
  return setErrorPlace(error, first?.place ?? { file, line: 1, column: 1 }, 'recipe');
}

/** Returns the recipe of a document, or one example of a catalog. Its documents are written to `artifactsDir` before anything runs. */
function createRunPart({ file, id, example }: DeclaredIdentity, artifactsDir: string): RunPart {
  const load = (read: DocumentRead, options: LoadOptions): LoadResult =>
    example ? findExample(loadCatalogOnce(file, read, options), example, read) : loadDocument(read, options);
  return {
    id,
    load(read, options) {
      const result = load(read, options);
      const loaded = result.loaded ?? result.rejected;
      if (loaded) writeDocuments(artifactsDir, loaded);
      return result;
    },
    guard: (registry) => (example && ensuresState(example.flow) ? createReadOnlyRegistry(registry, secondCall) : registry),
  };
}

function findExample(
  { flows, findings, text }: LoadedCatalog,
  { flow, index }: ExampleReference,
  { document }: DocumentRead,
): LoadResult {
  const loadedFlow = flows.find(({ id }) => id === flow);
  const problems = loadedFlow ? loadedFlow.findings : findings;
  const example = problems.length > 0 ? undefined : loadedFlow?.examples[index];
  return example ?? { findings: problems.length > 0 ? problems : [emptyCatalogFinding(document)], text };
}

function emptyCatalogFinding(document: DocumentRead['document']): Finding {
  const place = document?.place('') ?? { file: '', line: 1, column: 1 };
  const message = 'The catalog has no flows, so there is nothing to run.';
  const hint = 'Add flows with examples, or leave the file out of "recipes" of the plugin.';
  return { code: 'flow.none_in_catalog', severity: 'error', path: '', place, message, hint };
}

// The tests of one catalog run one after the other in one worker, with the same setup module.
let lastCatalog: { file: string; text: string; catalog: LoadedCatalog } | undefined;

function loadCatalogOnce(file: string, read: DocumentRead, options: LoadOptions): LoadedCatalog {
  if (lastCatalog?.file !== file || lastCatalog.text !== read.text)
    lastCatalog = { file, text: read.text, catalog: loadCatalog(read, options) };
  return lastCatalog.catalog;
}

/** Reports nodes to Vitest: as annotations while they run, and as a list in the error of a failed test. */
class StepReport {
  /** One line per node that ended, in order. */
  readonly lines: string[] = [];
  readonly failed: { place: Place; subtitle: string }[] = [];

  constructor(private readonly context: TestContext) {}

  begins({ title, skip }: StepInfo): void {
    // Vitest accepts no annotations from a cancelled test.
    if (this.context.signal.aborted) return;
    // Not awaited, because Vitest waits for annotations at the end of the test.
    void this.context.annotate(skip === undefined ? title : `${title} (skipped: ${skip})`, protocolTypes.node);
  }

  ends({ title, subtitle, place, skip }: StepInfo, failure: unknown): void {
    const mark = skip !== undefined ? '-' : failure === undefined ? '✓' : '✗';
    this.lines.push(`${mark} ${title} (${subtitle})`);
    if (failure !== undefined) this.failed.push({ place, subtitle });
  }
}

/** Puts a place on top of the stack. Vitest shows the first frame in the project, and a document's module has the lines of the document. */
function setErrorPlace(error: Error, { file, line, column }: Place, name: string): Error {
  error.stack = `${error.name}: ${error.message}\n    at ${name.replace(/[()]/g, ' ')} (${file}:${line}:${column})`;
  return error;
}
