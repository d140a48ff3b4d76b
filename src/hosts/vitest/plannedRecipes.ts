// Lists the recipes of all Vitest projects in this process, including projects that the run leaves out.
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
  // Must come before markRecipesAsRunning(), whose exit listener treats a record that has not ended as a crash.
  if (projectPatterns().length > 0) endIndexesWithoutReporter(outputDirs.map(getSuiteRecord));
  markRecipesAsRunning(outputDirs);
}

/** Ends the indexes when `--project` selects no project with recipes, because our reporter does not run then. */
function endIndexesWithoutReporter(records: readonly SuiteRecord[]): void {
  process.once('exit', (code) => {
    const { included, candidates, unnamedCandidates } = projectsOfProcess();
    const hasNoRecipes = included.size === 0 && candidates.size + unnamedCandidates.size > 0;
    // A selected project is part of the run unless Vitest failed before.
    if (!hasNoRecipes || [...candidates.keys()].some((name) => isProjectSelected(name))) return;
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
  included: Map<string, ProjectDocuments>;
  /** Projects whose config was read, but which are not part of the run so far. */
  candidates: Map<string, ProjectDocuments>;
  /** The same for projects without a name in the config. */
  unnamedCandidates: Set<ProjectDocuments>;
};

const projectsKey = Symbol.for('recipewright.vitest.projects');

function projectsOfProcess(): Projects {
  const shared = globalThis as { [projectsKey]?: Projects };
  shared[projectsKey] ??= { included: new Map(), candidates: new Map(), unnamedCandidates: new Set() };
  return shared[projectsKey];
}

/**
 * Called when the config of a project is read. Vitest calls no other hook of a project that `--project` leaves out.
 * `name`: undefined when the config sets no name, and Vitest generates one.
 */
export function expectProject(name: string | undefined, documents: ProjectDocuments): void {
  const { candidates, unnamedCandidates } = projectsOfProcess();
  if (name === undefined) unnamedCandidates.add(documents);
  else candidates.set(name, documents);
}

/** Called when Vitest adds the project to the run. */
export function includeProject(name: string, documents: ProjectDocuments): void {
  const { included, candidates, unnamedCandidates } = projectsOfProcess();
  for (const [key, value] of candidates) if (value === documents) candidates.delete(key);
  unnamedCandidates.delete(documents);
  included.set(name, documents);
}

function createPackageName(project: string, id: string): string {
  return packageName({ outputDir: '', id, repeat: 0, attempt: 0, ...(project === '' ? {} : { project }) });
}

export function plannedRecipes(): PlannedRecipe[] {
  const { included, candidates } = projectsOfProcess();
  return [...candidates, ...included].flatMap(([project, { files, projectRoot }]) =>
    [...files]
      .sort()
      .flatMap((file) => listPlannedTests(file, projectRoot))
      .map(({ id, claims }) => ({ name: createPackageName(project, id), claims })),
  );
}
