// Declares the tests of the documents of one shim.

import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { runInThisContext } from 'node:vm';
import type { TestInfo } from '@playwright/test';
import { hasErrors } from '../../document/finding.js';
import { oneLine } from '../../document/printFinding.js';
import { findFiles, removeGeneratedFile, tryReadText } from '../../system/files/files.js';
import { writeCacheFiles } from '../../system/files/writeCacheFiles.js';
import { findProjectPort, setWorkerPort } from './attachedPort.js';
import { openHostProject, type ProjectOptions, readProjectFile } from './hostProject.js';
import { declareDependencies } from './internals/declareDependencies.js';
import { refuseExpectedFailure } from './internals/refuseExpectedFailure.js';
import { compileAt } from './internals/shortStack.js';
import { createTest, isInDescribe, setTestFileTitle } from './internals/testType.js';
import { openProjectContext, type RecipeTest, type SetupModule, type TestProjectContext } from './projectContext.js';
import { loadTestEntry, readTestEntries } from './readTestEntries.js';
import { createInvalidError } from './recipeErrors.js';
import { protocolNames } from './reporterProtocol.js';
import { planTests } from './runPlan.js';
import { registeredTests, runRecipeTest } from './runRecipeTest.js';
import type { TestEntry } from './testEntry.js';
import { openWorkerPackages } from './workerPackages.js';

/** `title`: what reports call the test file. `index`: a file in which those who list the tests tell those who run one what the others are. */
export type ShimDocuments = { files: readonly string[]; project: string; title: string; index?: string };

/** `test` has our fixtures; `testAt` gives the same in a running app. */
export type BaseTests = { test: RecipeTest; testAt(port: number | undefined, own: RecipeTest): RecipeTest };

export function registerDocuments({ files, project, title, index }: ShimDocuments, setup: SetupModule, base: BaseTests): void {
  setTestFileTitle(base.test, title);
  const host = projectContexts.get(project) ?? openTestProject(project, setup, base);
  projectContexts.set(project, host);
  if (index === undefined) registerFiles(host, files);
  else if (process.env.TEST_WORKER_INDEX === undefined) writeEntryIndex(index, registerFiles(host, files));
  else declareFromIndex(host, files, index);
}

function openTestProject(project: string, setup: SetupModule, { test, testAt }: BaseTests): TestProjectContext {
  const port = findProjectPort(project);
  setWorkerPort(port);
  return { ...openProjectContext(readProjectFile(project), setup, port), test: testAt(port, setup.test ?? test) };
}

// Nothing runs after a list, so nobody reads the index of one; an old one must not be taken for it.
function writeEntryIndex(index: string, entries: readonly TestEntry[]): void {
  if (process.argv.includes('--list')) removeGeneratedFile(index);
  else writeCacheFiles(new Map([[index, JSON.stringify(entries)]]));
}

function declareFromIndex(host: TestProjectContext, files: readonly string[], index: string): void {
  const text = tryReadText(index);
  // Somebody who lists the same tests meanwhile may have removed it.
  if (text === undefined) registerFiles(host, files);
  else declareEntries(host, JSON.parse(text) as TestEntry[]);
}

/** One for each project: this process may register a thousand documents. */
const projectContexts = new Map<string, TestProjectContext>();

export function registerFiles(host: TestProjectContext, files: readonly string[]): TestEntry[] {
  const titles = new Set<string>();
  const { setupFile } = host.project;
  const entries = files.flatMap((file) => readTestEntries(file, host));
  for (const entry of entries) entry.title = makeTitleUnique(entry, titles);
  if (process.env.TEST_WORKER_INDEX === undefined) planTests(entries);
  const setup = setupFile === undefined ? [] : [setupFile];
  declareDependencies(entries.map(({ file, dependencies = [] }) => [file, [...dependencies, ...setup]]));
  declareEntries(host, entries);
  return entries;
}

function declareEntries(host: TestProjectContext, entries: readonly TestEntry[]): void {
  const secret = entries.find(({ hasSecrets }) => hasSecrets);
  if (secret) disableRecording(host.test, secret);
  for (const entry of entries) declareEntry(host, entry);
}

// They keep what a page shows and what is typed. Playwright settles them for a whole test file.
function disableRecording(own: RecipeTest, { id }: TestEntry): void {
  if (isInDescribe(own))
    throw new Error(
      `${id} has secrets, so that traces, videos and screenshots are off for its test file, which cannot be said inside of test.describe(). Call recipes() at the top level of the file.`,
    );
  own.use({ trace: 'off', video: 'off', screenshot: 'off' });
}

// Two tests of one title would keep Playwright from running anything.
function makeTitleUnique({ title, id }: TestEntry, titles: Set<string>): string {
  const free = titles.has(title) ? `${title} (${id})` : title;
  titles.add(free);
  return free;
}

function declareEntry(host: TestProjectContext, entry: TestEntry): void {
  const load = () => loadTestEntry(entry, host);
  const { projectRoot } = host.loadOptions(entry.file);
  registeredTests.set(entry.id, { load, projectRoot, equipment: host.equipment });
  declareTest(host.test, entry, async (fixtures, testInfo) => {
    const { loaded, findings, text } = load();
    if (!loaded || hasErrors(findings)) {
      refuseExpectedFailure(testInfo);
      (await openWorkerPackages(testInfo))?.clear(entry.id);
      throw createInvalidError({ what: describeDocument(entry), place: entry.place }, findings, text);
    }
    await runRecipeTest({ host, entry, loaded }, fixtures, testInfo);
  });
}

function describeDocument({ flow }: TestEntry): string {
  if (!flow) return 'The recipe';
  return flow.id === '' ? 'The flow catalog' : `The flow ${flow.id}`;
}

// Declares a test so that it stands in the JSON and asks only for the fixtures its nodes need.

export type TestBody = (fixtures: Record<string, unknown>, testInfo: TestInfo) => Promise<void>;

export function declareTest(test: RecipeTest, entry: TestEntry, body: TestBody): void {
  const { place, title, tags, isInvalid, skip } = entry;
  const details = { tag: tags, annotation: createAnnotations(entry) };
  // The one that ends the recipe comes last, so that its teardown still has the others.
  const fixtures = isInvalid || skip !== undefined ? [] : ['recipeDocument', ...entry.fixtures, 'recipeRun'];
  const testFunction = createTestFunction(fixtures.join(', '), body);
  if (createTest(test, { kind: skip === undefined ? 'default' : 'skip', place, title, details }, testFunction)) return;
  // Playwright takes the place of a test from the caller's stack frame.
  const call = `test${skip === undefined ? '' : '.skip'}(title, details, body)`;
  compileAt<(...given: unknown[]) => void>(place, '(test, title, details, body) =>', call)(test, title, details, testFunction);
}

type CreateTestFunction = (run: TestBody) => object;

const testFunctionCreators = new Map<string, CreateTestFunction>();

// Playwright reads the fixtures of a test from the text of its function. The text is compiled once for all tests with the same fixtures.
function createTestFunction(names: string, body: TestBody): object {
  const text = `(run) => async ({ ${names} }, testInfo) => run({ ${names} }, testInfo)`;
  const create = testFunctionCreators.get(names) ?? (runInThisContext(text) as CreateTestFunction);
  testFunctionCreators.set(names, create);
  return create(body);
}

type Annotation = { type: string; description: string };

function createAnnotations({
  id,
  flow,
  isInvalid,
  problem = 'The recipe is not valid: nothing ran.',
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

// For those who want no generated files: registers documents from a spec file of their own.

export type SpecOptions = Omit<ProjectOptions, 'setup'> & {
  /** The setup module, as `import * as setup` gives it. */
  setup?: SetupModule;
};

/** Globs are relative to the spec file, the file that calls `recipes()`. */
export function registerRecipes(
  spec: string | undefined,
  glob: string | readonly string[],
  { test, setup = {}, ...options }: SpecOptions & { test: RecipeTest },
): void {
  if (spec === undefined) throw new Error('recipes() has to be called by a test file: its globs are relative to that file.');
  const files = findFiles(dirname(spec), [glob].flat(), createRequire(import.meta.url));
  if (files.length === 0) throw new Error(`No recipe matches ${JSON.stringify(glob)} in ${dirname(spec)}.`);
  registerFiles({ ...openProjectContext(openHostProject(spec, options), setup), test }, files);
}
