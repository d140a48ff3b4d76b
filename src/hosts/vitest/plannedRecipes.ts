// All recipes of the Vitest projects in this process, also of projects that the run leaves out.
import { packageName } from '../../evidence/packageDirs.js';
import { suitePage } from '../../review/suite/suitePage.js';
import { listPlannedTests } from '../shared/declaredTests.js';
import { listLikelyOutputDirs } from '../shared/outputDirs.js';
import { describeHostFailure } from '../shared/suiteProblems.js';
import {
  describeLeftOut,
  getSuiteRecord,
  markRecipesAsRunning,
  type PlannedRecipe,
  type SuiteRecord,
} from '../shared/suiteRecord.js';
import { isProjectSelected, isTestRun, locateConfig, projectPatterns } from './internals/commandLine.js';
import { projectOptions } from './internals/runFilters.js';

/** Marks the verdicts of the previous run as unknown. Called when a config imports this package, before the config can fail. */
export function beginTestRun(): void {
  if (!isTestRun()) return;
  const { configFile, root } = locateConfig();
  const outputDirs = listLikelyOutputDirs(configFile, root);
  // Before `beginRun`, whose exit listener treats a run without an end as one that died.
  if (projectPatterns().length > 0) endIndexesWithoutReporter(outputDirs.map(getSuiteRecord));
  markRecipesAsRunning(outputDirs);
}

/** With `--project`, it may be that no project of the run has recipes. Then our reporter does not run. */
function endIndexesWithoutReporter(records: readonly SuiteRecord[]): void {
  process.once('exit', (code) => {
    const { configured, dropped, unnamed } = projectsOfProcess();
    const hasNoRecipes = configured.size === 0 && dropped.size + unnamed.size > 0;
    // A selected project is configured unless Vitest failed before.
    if (!hasNoRecipes || [...dropped.keys()].some((name) => isProjectSelected(name))) return;
    const selection = projectOptions(projectPatterns());
    const entries = plannedRecipes().map((entry) => ({ ...entry, ...describeLeftOut(selection) }));
    const problems = code === 0 ? [] : [describeHostFailure(`Vitest ended with exit code ${code}.`)];
    for (const record of records)
      if (record.hasIndex && !record.isEnded) record.end(entries, { page: suitePage }, { selection, problems });
  });
}

/** The documents of one Vitest project. */
export type ProjectDocuments = { projectRoot: string; files: ReadonlySet<string> };

type Projects = {
  /** The projects of the run, by name. */
  configured: Map<string, ProjectDocuments>;
  /** Projects whose config was read, but that are not part of the run so far. */
  dropped: Map<string, ProjectDocuments>;
  /** As `dropped`, without a name in the config. */
  unnamed: Set<ProjectDocuments>;
};

const projectsKey = Symbol.for('recipewright.vitest.projects');

function projectsOfProcess(): Projects {
  const shared = globalThis as { [projectsKey]?: Projects };
  shared[projectsKey] ??= { configured: new Map(), dropped: new Map(), unnamed: new Set() };
  return shared[projectsKey];
}

/**
 * Called when the config of a project is read. Vitest calls no other hook of a project that `--project` leaves out.
 * `name`: undefined when the config has none, and Vitest makes one up.
 */
export function expectProject(name: string | undefined, documents: ProjectDocuments): void {
  const { dropped, unnamed } = projectsOfProcess();
  if (name === undefined) unnamed.add(documents);
  else dropped.set(name, documents);
}

/** Called when the project turns out to be part of the run. */
export function includeProject(name: string, documents: ProjectDocuments): void {
  const { configured, dropped, unnamed } = projectsOfProcess();
  for (const [key, value] of dropped) if (value === documents) dropped.delete(key);
  unnamed.delete(documents);
  configured.set(name, documents);
}

function packageNameIn(project: string, id: string): string {
  return packageName({ outputDir: '', id, repeat: 0, attempt: 0, ...(project === '' ? {} : { project }) });
}

export function plannedRecipes(): PlannedRecipe[] {
  const { configured, dropped } = projectsOfProcess();
  return [...dropped, ...configured].flatMap(([project, { files, projectRoot }]) =>
    [...files]
      .sort()
      .flatMap((file) => listPlannedTests(file, projectRoot))
      .map(({ id, claims }) => ({ name: packageNameIn(project, id), claims })),
  );
}
