// All recipes that the projects of this process have, whether or not its run comes to them, and what leaves some of them out.
import { packageName } from '../../evidence/packageDirs.js';
import { suitePage } from '../../review/suite/suitePage.js';
import { likelyOutputDirs } from '../shared/outputDirs.js';
import { failedBecause } from '../shared/outsideProblems.js';
import { plannedTests } from '../shared/plannedTests.js';
import { beginRun, leftOut, type PlannedRecipe, type SuiteRecord, suiteRecordOf } from '../shared/suiteRecord.js';
import { isProjectSelected, isTestRun, locateConfig, projectPatterns } from './internals/commandLine.js';
import { projectOptions } from './internals/runFilters.js';

/** What a config that is loaded for a run makes of the index of the run before: nothing of it is known any more. */
export function beginTestRun(): void {
  if (!isTestRun()) return;
  const { configFile, root } = locateConfig();
  const outputDirs = likelyOutputDirs(configFile, root);
  // Before `beginRun`: what is left to say at the end is said before its own listener takes the run for one that died.
  if (projectPatterns().length > 0) endIndexesWithoutReporter(outputDirs.map(suiteRecordOf));
  beginRun(outputDirs);
}

/** With `--project`, no project of the run may have recipes; then there is no reporter of ours. */
function endIndexesWithoutReporter(records: readonly SuiteRecord[]): void {
  process.once('exit', (code) => {
    const { configured, dropped, unnamed } = projectsOfProcess();
    const hasNoRecipes = configured.size === 0 && dropped.size + unnamed.size > 0;
    // A project that was asked for is there unless Vitest failed before.
    if (!hasNoRecipes || [...dropped.keys()].some((name) => isProjectSelected(name))) return;
    const selection = projectOptions(projectPatterns());
    const entries = plannedRecipes().map((entry) => ({ ...entry, ...leftOut(selection) }));
    const problems = code === 0 ? [] : [failedBecause(`Vitest ended with exit code ${code}.`)];
    for (const record of records)
      if (record.hasIndex && !record.isEnded) record.end(entries, { page: suitePage }, { selection, problems });
  });
}

/** The documents of one Vitest project. */
export type ProjectDocuments = { projectRoot: string; files: ReadonlySet<string> };

/** `dropped`, `unnamed`: those whose config was read and that are not part of the run, as far as is known. */
type Projects = Record<'configured' | 'dropped', Map<string, ProjectDocuments>> & { unnamed: Set<ProjectDocuments> };

const projectsKey = Symbol.for('recipewright.vitest.projects');

function projectsOfProcess(): Projects {
  const shared = globalThis as { [projectsKey]?: Projects };
  shared[projectsKey] ??= { configured: new Map(), dropped: new Map(), unnamed: new Set() };
  return shared[projectsKey];
}

/**
 * When the config of a project is read: after that, Vitest drops a project that `--project` does not ask for, and calls no other hook.
 * `name`: as the config says it; Vitest makes one up otherwise.
 */
export function expectProject(name: string | undefined, documents: ProjectDocuments): void {
  const { dropped, unnamed } = projectsOfProcess();
  if (name === undefined) unnamed.add(documents);
  else dropped.set(name, documents);
}

/** The project is part of the run. */
export function includeProject(name: string, documents: ProjectDocuments): void {
  const { configured, dropped, unnamed } = projectsOfProcess();
  for (const [other, otherDocuments] of dropped) if (otherDocuments === documents) dropped.delete(other);
  unnamed.delete(documents);
  configured.set(name, documents);
}

export function packageNameIn(project: string, id: string): string {
  return packageName({ outputDir: '', id, repeat: 0, attempt: 0, ...(project === '' ? {} : { project }) });
}

export function plannedRecipes(): PlannedRecipe[] {
  const { configured, dropped } = projectsOfProcess();
  return [...dropped, ...configured].flatMap(([project, { files, projectRoot }]) =>
    [...files]
      .sort()
      .flatMap((file) => plannedTests(file, projectRoot))
      .map(({ id, claims }) => ({ name: packageNameIn(project, id), claims })),
  );
}
