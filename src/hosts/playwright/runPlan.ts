// All recipes that the projects of this process have, whether or not its run comes to them.
import type { FullConfig } from '@playwright/test/reporter';
import { packageName } from '../../evidence/packageDirs.js';
import type { DeclaredClaim, SuiteEntry } from '../../evidence/suite.js';
import { likelyOutputDirs } from '../shared/outputDirs.js';
import { plannedIds, plannedTests } from '../shared/plannedTests.js';
import { beginRun, type PlannedRecipe, type RunEnding } from '../shared/suiteRecord.js';
import { configFileIn, isTestRun, selectionIn } from './commandLine.js';
import type { Entry } from './entry.js';
import { reportersAsked } from './reporterPresence.js';
import type { Reporters } from './withReporter.js';

/** The documents of one Playwright project. */
export type ProjectPlan = { name: string; testDir: string; projectRoot: string; files: readonly string[] };

type Declared = Pick<Entry, 'id' | 'claims' | 'skip'>;

type Planned = Omit<Declared, 'claims'> & { claims: readonly DeclaredClaim[] };

type Plan = {
  /** By the folder of its test files, which the config cannot change. */
  projects: Map<string, ProjectPlan>;
  /** The tests of documents that this process has read, by file. */
  declared: Map<string, Declared[]>;
};

const plan = Symbol.for('recipewright.playwright.plan');

function planOfProcess(): Plan {
  const shared = globalThis as { [plan]?: Plan };
  shared[plan] ??= { projects: new Map(), declared: new Map() };
  return shared[plan];
}

/** The config has a project of recipes. */
export function planProject(project: ProjectPlan): void {
  planOfProcess().projects.set(project.testDir, project);
}

/** A document was read, and these are its tests. */
export function planTests(entries: readonly Entry[]): void {
  const { declared } = planOfProcess();
  for (const { file } of entries) declared.set(file, []);
  for (const { file, id, claims, skip } of entries)
    declared.get(file)?.push({ id, claims, ...(skip === undefined ? {} : { skip }) });
}

/** What the package of a test is called in a project: the usual project has no name of its own. */
export function nameIn(project: string, id: string, repeat = 0): string {
  return packageName({ outputDir: '', id, repeat, attempt: 0, ...(project === 'recipes' ? {} : { project }) });
}

/** Their names alone: documents are not read for it. */
export function plannedNames(): PlannedRecipe[] {
  const projects = [...planOfProcess().projects.values()];
  return projects.flatMap(({ name, files, projectRoot }) =>
    plannedIds(files, projectRoot).map((id) => ({ name: nameIn(name, id) })),
  );
}

export type PlannedInProject = PlannedRecipe & { file: string; claims: readonly DeclaredClaim[]; skip?: string | undefined };

/** All recipes of the projects, with their claims. `config`: as Playwright has resolved it; a project may have got another name there. */
export function plannedRecipes(config: Pick<FullConfig, 'projects'> | undefined): PlannedInProject[] {
  const { projects, declared } = planOfProcess();
  return [...projects.values()].flatMap(({ name, testDir, files, projectRoot }) => {
    const project = config?.projects.find((one) => one.testDir === testDir)?.name ?? name;
    return files.flatMap((file) =>
      (declared.get(file) ?? plannedTests(file, projectRoot)).map(({ id, claims, skip }: Planned) => ({
        name: nameIn(project, id),
        file,
        claims,
        skip,
      })),
    );
  });
}

/** What a config that is loaded for a run makes of the index of the run before: nothing of it is known any more. */
export function startRun(): void {
  if (!isTestRun()) return;
  beginRun(likelyOutputDirs(configFileIn()), { ending: endingOf });
}

/** The same with the plan, once the config is read. `ownDir`: where the packages go, if that is known. */
export function startPlannedRun(ownDir?: string): void {
  if (!isTestRun()) return;
  const outputDirs = [...(ownDir === undefined ? [] : [ownDir]), ...likelyOutputDirs(configFileIn())];
  const run = { planned: plannedNames(), selection: selectionIn(), ending: endingOf };
  beginRun(outputDirs, writesBlob() ? run : { ...run, ownDir });
}

/** What is known of a run at the exit of its process. */
export function endingOf(exitCode: number): RunEnding {
  const plan = plannedRecipes(undefined).map(({ name, claims, skip }): SuiteEntry => {
    return { name, claims, ...(skip === undefined ? {} : { skipped: true, detail: `The test was skipped: ${skip}.` }) };
  });
  return { host: 'Playwright', exitCode, plan, selection: selectionIn(), isComplete: !writesBlob() };
}

/** The packages of a blob are written by whoever merges it. */
function writesBlob(): boolean {
  return reportersAsked().some(([name]) => name === 'blob');
}

/** What a project tells those who merge the blobs of its runs: shards leave nothing out together, other options do. */
export type BlobMetadata = { recipewright: { selection: string[]; recipes: PlannedRecipe[] } };

/** Undefined unless the run writes a blob and leaves something out. */
export function blobMetadata(testDir: string, reporters: Reporters): { metadata?: BlobMetadata } {
  const selection = selectionIn().filter((option) => !option.startsWith('--shard'));
  const hasBlob = [process.argv.slice(3), reporters ?? []].flat(2).some((word) => /(^|[=,])blob(,|$)/.test(String(word)));
  if (!isTestRun() || selection.length === 0 || !hasBlob) return {};
  const own = planOfProcess().projects.get(testDir);
  const recipes = (own?.files ?? []).flatMap((file) =>
    plannedTests(file, own?.projectRoot ?? '').map(({ id, claims }) => ({ name: nameIn(own?.name ?? '', id), claims })),
  );
  return { metadata: { recipewright: { selection, recipes } } };
}
