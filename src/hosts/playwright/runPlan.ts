// All recipes that the projects of this process have, whether or not its run comes to them.
import type { FullConfig } from '@playwright/test/reporter';
import { packageName } from '../../evidence/layout.js';
import type { DeclaredClaim } from '../../evidence/suiteIndex.js';
import { likelyOutputDirs } from '../outputDirs.js';
import { plannedIds, plannedTests } from '../plannedTests.js';
import { beginRun, type PlannedRecipe } from '../suiteRecord.js';
import { configFileIn, isTestRun, selectionIn } from './commandLine.js';
import type { Entry } from './entry.js';
import type { Reporters } from './withReporter.js';

/** The documents of one Playwright project. */
export type ProjectPlan = { name: string; testDir: string; projectRoot: string; files: readonly string[] };

type Declared = Pick<Entry, 'id' | 'claims'>;

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
  for (const { file, id, claims } of entries) declared.get(file)?.push({ id, claims });
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

export type PlannedInProject = PlannedRecipe & { file: string; claims: readonly DeclaredClaim[] };

/** All recipes of the projects, with their claims. `config`: as Playwright has resolved it; a project may have got another name there. */
export function plannedRecipes(config: Pick<FullConfig, 'projects'> | undefined): PlannedInProject[] {
  const { projects, declared } = planOfProcess();
  return [...projects.values()].flatMap(({ name, testDir, files, projectRoot }) => {
    const project = config?.projects.find((one) => one.testDir === testDir)?.name ?? name;
    return files.flatMap((file) =>
      (declared.get(file) ?? plannedTests(file, projectRoot)).map(({ id, claims }) => ({
        name: nameIn(project, id),
        file,
        claims,
      })),
    );
  });
}

/** What a config that is loaded for a run makes of the index of the run before: nothing of it is known any more. */
export function startRun(): void {
  if (!isTestRun()) return;
  beginRun(likelyOutputDirs(configFileIn()));
}

/** The same with the plan, once the config is read. Where there is no index yet, the reporter begins one. */
export function startPlannedRun(outputDirs: readonly string[] = []): void {
  if (!isTestRun()) return;
  beginRun([...outputDirs, ...likelyOutputDirs(configFileIn())], plannedNames(), selectionIn());
}

/** What a project tells those who merge the blobs of its runs: shards leave nothing out together, other options do. */
export type BlobMetadata = { recipewright: { selection: string[]; recipes: PlannedRecipe[] } };

/** Undefined unless the run writes a blob and leaves something out. */
export function blobMetadata(testDir: string, reporters: Reporters): { metadata?: BlobMetadata } {
  const selection = selectionIn().filter((option) => !option.startsWith('--shard'));
  const writesBlob = [process.argv.slice(3), reporters ?? []].flat(2).some((word) => /(^|[=,])blob(,|$)/.test(String(word)));
  if (!isTestRun() || selection.length === 0 || !writesBlob) return {};
  const own = planOfProcess().projects.get(testDir);
  const recipes = (own?.files ?? []).flatMap((file) =>
    plannedTests(file, own?.projectRoot ?? '').map(({ id, claims }) => ({ name: nameIn(own?.name ?? '', id), claims })),
  );
  return { metadata: { recipewright: { selection, recipes } } };
}
