// All recipes of the projects that this process loaded, and those that its run leaves out.
import type { FullConfig, Suite, TestCase } from '@playwright/test/reporter';
import { packageName } from '../../evidence/packageDirs.js';
import type { DeclaredClaim, SuiteEntry } from '../../evidence/suite.js';
import { listPlannedIds, listPlannedTests } from '../shared/declaredTests.js';
import { listLikelyOutputDirs } from '../shared/outputDirs.js';
import { describeLeftOut, markRecipesAsRunning, type PlannedRecipe, type RunEnding } from '../shared/suiteRecord.js';
import { findConfigFile, isTestRun, readSelection } from './internals/commandLine.js';
import { findIdentity } from './readTestResult.js';
import { findRequestedReporters, isBlobRequested } from './reporterPresence.js';
import type { TestEntry } from './testEntry.js';

/** The documents of one Playwright project. */
type ProjectPlan = { name: string; testDir: string; projectRoot: string; files: readonly string[] };

type DeclaredEntry = Pick<TestEntry, 'id' | 'claims' | 'skip'>;

type PlannedEntry = Omit<DeclaredEntry, 'claims'> & { claims: readonly DeclaredClaim[] };

type Plan = {
  /** Projects by the folders of their shims, which the config cannot change. */
  projects: Map<string, ProjectPlan>;
  /** The tests of the documents that this process has read, by file. */
  declared: Map<string, DeclaredEntry[]>;
};

const planKey = Symbol.for('recipewright.playwright.plan');

function getProcessPlan(): Plan {
  const shared = globalThis as { [planKey]?: Plan };
  shared[planKey] ??= { projects: new Map(), declared: new Map() };
  return shared[planKey];
}

export function planProject(project: ProjectPlan): void {
  getProcessPlan().projects.set(project.testDir, project);
}

/** Adds the tests of documents that this process has read. */
export function planTests(entries: readonly TestEntry[]): void {
  const { declared } = getProcessPlan();
  for (const { file } of entries) declared.set(file, []);
  for (const { file, id, claims, skip } of entries)
    declared.get(file)?.push({ id, claims, ...(skip === undefined ? {} : { skip }) });
}

/** Creates the name of the package of a test, without the name of the default project. */
function createPackageName(project: string, id: string, repeat = 0): string {
  return packageName({ outputDir: '', id, repeat, attempt: 0, ...(project === 'recipes' ? {} : { project }) });
}

/** Lists the names of all recipes without reading their documents. */
export function listPlannedNames(): PlannedRecipe[] {
  const projects = [...getProcessPlan().projects.values()];
  return projects.flatMap(({ name, files, projectRoot }) =>
    listPlannedIds(files, projectRoot).map((id) => ({ name: createPackageName(name, id) })),
  );
}

type PlannedProjectRecipe = PlannedRecipe & { file: string; claims: readonly DeclaredClaim[]; skip?: string | undefined };

/** Lists all recipes with their claims. A project may have another name in `config`, the config that Playwright resolved. */
function listPlannedRecipes(config: Pick<FullConfig, 'projects'> | undefined): PlannedProjectRecipe[] {
  const { projects, declared } = getProcessPlan();
  return [...projects.values()].flatMap(({ name, testDir, files, projectRoot }) => {
    const project = config?.projects.find((one) => one.testDir === testDir)?.name ?? name;
    return files.flatMap((file) =>
      (declared.get(file) ?? listPlannedTests(file, projectRoot)).map(({ id, claims, skip }: PlannedEntry) => ({
        name: createPackageName(project, id),
        file,
        claims,
        skip,
      })),
    );
  });
}

/** Marks the recipes of the previous run as unknown. Called when the config of a run is loaded. */
export function markResultsStale(): void {
  if (!isTestRun()) return;
  markRecipesAsRunning(listLikelyOutputDirs(findConfigFile()), { ending: describeEnding });
}

/** Adds the plan to the index. Called when the config has been read. `ownDir`: the output directory, if it is known. */
export function startPlannedRun(ownDir?: string): void {
  if (!isTestRun()) return;
  const outputDirs = [...(ownDir === undefined ? [] : [ownDir]), ...listLikelyOutputDirs(findConfigFile())];
  const run = { planned: listPlannedNames(), selection: readSelection(), ending: describeEnding };
  markRecipesAsRunning(outputDirs, isBlobRun() ? run : { ...run, ownDir });
}

/** Describes how a run ended. Called when its process exits. */
export function describeEnding(exitCode: number): RunEnding {
  const plan = listPlannedRecipes(undefined).map(
    ({ name, claims, skip }): SuiteEntry => ({
      name,
      claims,
      ...(skip === undefined ? {} : { skipped: true, detail: `The test was skipped: ${skip}.` }),
    }),
  );
  return { host: 'Playwright', exitCode, plan, selection: readSelection(), isComplete: !isBlobRun() };
}

/** Whether the run writes a blob. A merge of the blobs then writes the packages. */
function isBlobRun(): boolean {
  return findRequestedReporters().some(([name]) => name === 'blob');
}

/** Metadata of a project for a merge of blobs: the options, other than --shard, that leave recipes out. */
type BlobMetadata = { recipewright: { selection: string[]; recipes: PlannedRecipe[] } };

/** Returns an empty object unless the run writes a blob and its options leave tests out. */
export function createBlobMetadata(testDir: string): { metadata?: BlobMetadata } {
  const selection = readSelection().filter((option) => !option.startsWith('--shard'));
  if (!isTestRun() || selection.length === 0 || !isBlobRequested()) return {};
  const project = getProcessPlan().projects.get(testDir);
  const recipes = (project?.files ?? []).flatMap((file) =>
    listPlannedTests(file, project?.projectRoot ?? '').map(({ id, claims }) => ({
      name: createPackageName(project?.name ?? '', id),
      claims,
    })),
  );
  return { metadata: { recipewright: { selection, recipes } } };
}

/** The recipes that a run leaves out, and the options that do so. */
export type LeftOutRecipes = { entries: SuiteEntry[]; selection: string[] };

type LeftOutContext = {
  config: FullConfig | undefined;
  getPackageName(test: TestCase): string | undefined;
  /** Whether the suite was merged from the blobs of other runs. */
  isMerging: boolean;
};

export function findLeftOut(suite: Suite, { config, getPackageName, isMerging }: LeftOutContext): LeftOutRecipes {
  const tests = suite.allTests();
  const names = new Set(tests.map(getPackageName));
  const { selection, recipes } = isMerging ? readMergedSelections(suite) : readOwnSelection(config, tests);
  const entries = recipes.filter(({ name }) => !names.has(name));
  const why = selection.length > 0 ? selection : ['test.only, or a filter of the config'];
  return {
    selection: entries.length > 0 ? why : selection,
    entries: entries.map(({ name, claims = [] }) => ({ name, claims, ...describeLeftOut(why) })),
  };
}

type RunSelection = { selection: string[]; recipes: readonly PlannedRecipe[] };

function readOwnSelection(config: FullConfig | undefined, tests: readonly TestCase[]): RunSelection {
  const identities = tests.flatMap((test) => findIdentity(test) ?? []);
  // An invalid catalog is one test for all its flows.
  const invalidCatalogs = new Set(identities.filter(({ invalid, flow }) => invalid && flow === '').map(({ file }) => file));
  const selection = isTestRun() ? readSelection() : ['the selection in UI mode or in the editor'];
  return { selection, recipes: listPlannedRecipes(config).filter(({ file }) => !invalidCatalogs.has(file)) };
}

/** Reads the selections of the merged runs from their metadata. */
function readMergedSelections(suite: Suite): RunSelection {
  const metadata = suite.suites.flatMap(
    (projectSuite) => (projectSuite.project()?.metadata as Partial<BlobMetadata> | undefined)?.recipewright ?? [],
  );
  const recipes = new Map(metadata.flatMap((blob) => blob.recipes).map((recipe) => [recipe.name, recipe]));
  return { selection: [...new Set(metadata.flatMap(({ selection }) => selection))], recipes: [...recipes.values()] };
}
