// Declares the tests of the documents of one shim.

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
  if (isListRequested()) removeGeneratedFile(index);
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
  const { place, title, tags, isInvalid, skip } = entry;
  const declaration: TestDeclaration = {
    kind: skip === undefined ? 'default' : 'skip',
    place,
    title,
    details: { tag: tags, annotation: createAnnotations(entry) },
    // The fixture that ends the recipe comes last, so that the others still work in its teardown.
    fixtures: isInvalid || skip !== undefined ? [] : ['recipeDocument', ...entry.fixtures, 'recipeRun'],
  };
  declareTestAt(host.test, declaration, async (fixtures, testInfo) => {
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
