// Declares the tests of the documents of one shim.
import { hasErrors } from '../../document/finding.js';
import { removeGeneratedFile, tryReadText } from '../../system/files/files.js';
import { writeCacheFiles } from '../../system/files/writeCacheFiles.js';
import { portOf, workAt } from './attachedPort.js';
import { declareTest } from './declareTest.js';
import type { Entry } from './entry.js';
import { keptProject } from './hostProject.js';
import { declareDependencies, isInDescribe, nameTestFile } from './internals.js';
import { invalidError } from './invalidError.js';
import { isRecipeRunning } from './isRecipeRunning.js';
import { tellPlainStacks } from './plainStacks.js';
import { loadEntry, readEntries } from './readEntries.js';
import { openHost, type RecipeTest, type SetupModule, type TestingHost } from './recipeHost.js';
import { runInTest, tests } from './recipeRun.js';
import { refuseExpectedFailure } from './refuseExpectedFailure.js';
import { planTests } from './runPlan.js';
import { workerPackagesOf } from './workerPackages.js';

/** `title`: what reports call the test file. `index`: a file in which those who list the tests tell those who run one what the others are. */
export type Documents = { files: readonly string[]; project: string; title: string; index?: string };

/** `test` has our fixtures; `testAt` gives the same in a running app. */
export type BaseTest = { test: RecipeTest; testAt(port: number | undefined, own: RecipeTest): RecipeTest };

export function registerDocuments({ files, project, title, index }: Documents, setup: SetupModule, base: BaseTest): void {
  nameTestFile(base.test, title);
  const host = hosts.get(project) ?? hostFor(project, setup, base);
  hosts.set(project, host);
  if (index === undefined) registerIn(host, files);
  else if (process.env.TEST_WORKER_INDEX === undefined) keepIndex(index, registerIn(host, files));
  else declareKept(host, files, index);
}

function hostFor(project: string, setup: SetupModule, { test, testAt }: BaseTest): TestingHost {
  const port = portOf(project);
  workAt(port);
  return { ...openHost(keptProject(project), setup, port), test: testAt(port, setup.test ?? test) };
}

// Nothing runs after a list, so nobody reads the index of one; an old one must not be taken for it.
function keepIndex(index: string, entries: readonly Entry[]): void {
  if (process.argv.includes('--list')) removeGeneratedFile(index);
  else writeCacheFiles(new Map([[index, JSON.stringify(entries)]]));
}

function declareKept(host: TestingHost, files: readonly string[], index: string): void {
  const kept = tryReadText(index);
  // Somebody who lists the same tests meanwhile may have removed it.
  if (kept === undefined) registerIn(host, files);
  else declareAll(host, JSON.parse(kept) as Entry[]);
}

/** One for each project: this process may register a thousand documents. */
const hosts = new Map<string, TestingHost>();

export function registerIn(host: TestingHost, files: readonly string[]): Entry[] {
  const titles = new Set<string>();
  const { setupFile } = host.project;
  const entries = files.flatMap((file) => readEntries(file, host));
  for (const entry of entries) entry.title = freeTitle(entry, titles);
  if (process.env.TEST_WORKER_INDEX === undefined) planTests(entries);
  const setup = setupFile === undefined ? [] : [setupFile];
  declareDependencies(entries.map(({ file, dependencies = [] }) => [file, [...dependencies, ...setup]]));
  declareAll(host, entries);
  return entries;
}

function declareAll(host: TestingHost, entries: readonly Entry[]): void {
  const secret = entries.find(({ hasSecrets }) => hasSecrets);
  if (secret) switchOffPictures(host.test, secret);
  for (const entry of entries) declareEntry(host, entry);
  if (process.env.TEST_WORKER_INDEX !== undefined) tellPlainStacks(isRecipeRunning);
}

// They keep what a page shows and what is typed. Playwright settles them for a whole test file.
function switchOffPictures(own: RecipeTest, { id }: Entry): void {
  if (isInDescribe(own))
    throw new Error(
      `${id} has secrets, so that traces, videos and screenshots are off for its test file, which cannot be said inside of test.describe(). Call recipes() at the top level of the file.`,
    );
  own.use({ trace: 'off', video: 'off', screenshot: 'off' });
}

// Two tests of one title would keep Playwright from running anything.
function freeTitle({ title, id }: Entry, titles: Set<string>): string {
  const free = titles.has(title) ? `${title} (${id})` : title;
  titles.add(free);
  return free;
}

function declareEntry(host: TestingHost, entry: Entry): void {
  const load = () => loadEntry(entry, host);
  const { projectRoot } = host.loadOptions(entry.file);
  tests.set(entry.id, { load, projectRoot, equipment: host.equipment });
  declareTest(host.test, entry, async (fixtures, testInfo) => {
    const { loaded, findings, text } = load();
    if (!loaded || hasErrors(findings)) {
      refuseExpectedFailure(testInfo);
      (await workerPackagesOf(testInfo))?.clear(entry.id);
      throw invalidError({ what: whatOf(entry), place: entry.place }, findings, text);
    }
    await runInTest({ host, entry, loaded }, fixtures, testInfo);
  });
}

function whatOf({ flow }: Entry): string {
  if (!flow) return 'The recipe';
  return flow.id === '' ? 'The flow catalog' : `The flow ${flow.id}`;
}
