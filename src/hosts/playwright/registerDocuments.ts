// Declares the tests of documents, either for a shim, or for a spec file that calls `recipes()`.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { hasErrors } from '../../document/finding.js';
import { oneLine } from '../../document/printFinding.js';
import { findFiles, removeGeneratedFile, tryReadText } from '../../system/files/files.js';
import { writeCacheFiles } from '../../system/files/writeCacheFiles.js';
import { findProjectPort, setWorkerPort } from './attachedPort.js';
import { openHostProject, type ProjectOptions, readProjectFile } from './hostProject.js';
import { isListRequested } from './internals/commandLine.js';
import { declareDependencies } from './internals/declareDependencies.js';
import { refuseExpectedFailure } from './internals/refuseExpectedFailure.js';
import { declareTestAt, isInDescribe, setTestFileTitle, type TestDeclaration } from './internals/testType.js';
import { openProjectContext, type RecipeTest, type SetupModule, type TestProjectContext } from './projectContext.js';
import { loadTestEntry, readTestEntries } from './readTestEntries.js';
import { createInvalidError } from './recipeErrors.js';
import { protocolNames } from './reporterProtocol.js';
import { planTests } from './runPlan.js';
import { registeredTests, runRecipeTest } from './runRecipeTest.js';
import type { TestEntry } from './testEntry.js';
import { openWorkerPackages } from './workerPackages.js';

export type ShimDocuments = {
  files: readonly string[];
  /** The path of the stored project (`HostProject`). */
  project: string;
  /** The title of the test file in reports. */
  title: string;
  /** The path of the entries that the main process collected. Workers read this file instead of the documents. */
  index?: string;
};

/** `test` has the fixtures that run recipes. `testAt` adds to `own` the fixtures that attach to a running app. */
type BaseTests = { test: RecipeTest; testAt(port: number | undefined, own: RecipeTest): RecipeTest };

export function registerDocuments({ files, project, title, index }: ShimDocuments, setup: SetupModule, base: BaseTests): void {
  setTestFileTitle(base.test, title);
  const context = projectContexts.get(project) ?? openTestProject(project, setup, base);
  projectContexts.set(project, context);
  if (index === undefined) registerFiles(context, files);
  else if (process.env.TEST_WORKER_INDEX === undefined) writeEntryIndex(index, registerFiles(context, files));
  else declareFromIndex(context, files, index);
}

function openTestProject(project: string, setup: SetupModule, { test, testAt }: BaseTests): TestProjectContext {
  const port = findProjectPort(project);
  setWorkerPort(port);
  return { ...openProjectContext(readProjectFile(project), setup, port), test: testAt(port, setup.test ?? test) };
}

// With --list, no worker needs the index, and an old one must not stay.
function writeEntryIndex(index: string, entries: readonly TestEntry[]): void {
  if (isListRequested()) removeGeneratedFile(index);
  else writeCacheFiles(new Map([[index, JSON.stringify(entries)]]));
}

function declareFromIndex(context: TestProjectContext, files: readonly string[], index: string): void {
  const text = tryReadText(index);
  // Another process that lists the same tests may have removed the index.
  if (text === undefined) registerFiles(context, files);
  else declareEntries(context, JSON.parse(text) as TestEntry[]);
}

/** One context for each project, because a process may register thousands of documents. */
const projectContexts = new Map<string, TestProjectContext>();

function registerFiles(context: TestProjectContext, files: readonly string[]): TestEntry[] {
  const titles = new Set<string>();
  const { setupFile } = context.project;
  const entries = files.flatMap((file) => readTestEntries(file, context));
  for (const entry of entries) entry.title = makeTitleUnique(entry, titles);
  if (process.env.TEST_WORKER_INDEX === undefined) planTests(entries);
  const setup = setupFile === undefined ? [] : [setupFile];
  declareDependencies(entries.map(({ file, dependencies = [] }) => [file, [...dependencies, ...setup]]));
  declareEntries(context, entries);
  return entries;
}

function declareEntries(context: TestProjectContext, entries: readonly TestEntry[]): void {
  const secret = entries.find(({ hasSecrets }) => hasSecrets);
  if (secret) disableRecording(context.test, secret);
  for (const entry of entries) declareEntry(context, entry);
}

// Traces, videos and screenshots could contain secrets that a page shows or that are typed. Playwright configures them per test file.
function disableRecording(test: RecipeTest, { id }: TestEntry): void {
  if (isInDescribe(test))
    throw new Error(
      `${id} has secrets, so traces, videos and screenshots must be off for the whole test file, but recipes() is called in test.describe(). Call recipes() at the top level of the file.`,
    );
  test.use({ trace: 'off', video: 'off', screenshot: 'off' });
}

// Playwright runs no test when two tests of a file have the same title.
function makeTitleUnique({ title, id }: TestEntry, titles: Set<string>): string {
  const uniqueTitle = titles.has(title) ? `${title} (${id})` : title;
  titles.add(uniqueTitle);
  return uniqueTitle;
}

function declareEntry(context: TestProjectContext, entry: TestEntry): void {
  const load = () => loadTestEntry(entry, context);
  const { projectRoot } = context.loadOptions(entry.file);
  registeredTests.set(entry.id, { load, projectRoot, capabilities: context.capabilities });
  const { place, title, tags, isInvalid, skip } = entry;
  const declaration: TestDeclaration = {
    kind: skip === undefined ? 'default' : 'skip',
    place,
    title,
    details: { tag: tags, annotation: createAnnotations(entry) },
    // The fixture that ends the recipe comes last, so that the other fixtures still work when it tears the recipe down.
    fixtures: isInvalid || skip !== undefined ? [] : ['recipeDocument', ...entry.fixtures, 'recipeRun'],
  };
  declareTestAt(context.test, declaration, async (fixtures, testInfo) => {
    const { loaded, findings, text } = load();
    if (!loaded || hasErrors(findings)) {
      refuseExpectedFailure(testInfo);
      (await openWorkerPackages(testInfo))?.clear(entry.id);
      throw createInvalidError({ subject: describeDocument(entry), place: entry.place }, findings, text);
    }
    await runRecipeTest({ context, entry, loaded }, fixtures, testInfo);
  });
}

function describeDocument({ flow }: TestEntry): string {
  if (!flow) return 'The recipe';
  return flow.id === '' ? 'The flow catalog' : `The flow ${flow.id}`;
}

type Annotation = { type: string; description: string };

function createAnnotations({
  id,
  flow,
  isInvalid,
  problem = 'The recipe is not valid, so it did not run.',
  claims,
  skip,
}: TestEntry): Annotation[] {
  const annotations: Annotation[] = [{ type: protocolNames.identity, description: id }];
  if (flow) annotations.push({ type: protocolNames.flow, description: flow.id });
  if (isInvalid) annotations.push({ type: protocolNames.problem, description: problem });
  for (const target of claims)
    annotations.push({ type: protocolNames.claim, description: oneLine(`${target.id}: ${target.claim}`) });
  if (skip !== undefined) annotations.push({ type: 'skip', description: skip });
  return annotations;
}

export type SpecOptions = Omit<ProjectOptions, 'setup'> & {
  /** The setup module, imported with `import * as setup`. */
  setup?: SetupModule;
};

/** Registers documents without shims. Globs are relative to `spec`, the test file that calls `recipes()`. */
export function registerRecipes(
  spec: string | undefined,
  glob: string | readonly string[],
  { test, setup = {}, ...options }: SpecOptions & { test: RecipeTest },
): void {
  if (spec === undefined)
    throw new Error(
      'recipes() was not called from a test file. Call recipes() in a test file, because its globs are relative to that file.',
    );
  const files = findFiles(dirname(spec), [glob].flat(), createRequire(import.meta.url));
  if (files.length === 0) throw new Error(`No recipe matches ${JSON.stringify(glob)} in ${dirname(spec)}.`);
  registerFiles({ ...openProjectContext(openHostProject(spec, options), setup), test }, files);
}
