// All recipes that the projects of this process have, whether or not its run comes to them, and what leaves some of them out.
import type { Vitest } from 'vitest/node';
import { packageName } from '../../evidence/layout.js';
import { shellWord } from '../../evidence/shellWord.js';
import { likelyOutputDirs } from '../outputDirs.js';
import { plannedTests } from '../plannedTests.js';
import { beginRun, type PlannedRecipe } from '../suiteRecord.js';
import { configIn, isTestRun } from './commandLine.js';

/** What a config that is loaded for a run makes of the index of the run before: nothing of it is known any more. */
export function startRun(): void {
  if (!isTestRun()) return;
  const { configFile, root } = configIn();
  beginRun(likelyOutputDirs(configFile, root));
}

/** The documents of one Vitest project. */
export type ProjectDocuments = { projectRoot: string; files: ReadonlySet<string> };

const projects = Symbol.for('recipewright.vitest.projects');

function projectsOfProcess(): Map<string, ProjectDocuments> {
  const shared = globalThis as { [projects]?: Map<string, ProjectDocuments> };
  shared[projects] ??= new Map();
  return shared[projects];
}

export function planProject(name: string, documents: ProjectDocuments): void {
  projectsOfProcess().set(name, documents);
}

export function nameIn(project: string, id: string): string {
  return packageName({ outputDir: '', id, repeat: 0, attempt: 0, ...(project === '' ? {} : { project }) });
}

export function plannedRecipes(): PlannedRecipe[] {
  return [...projectsOfProcess()].flatMap(([project, { files, projectRoot }]) =>
    [...files]
      .sort()
      .flatMap((file) => plannedTests(file, projectRoot))
      .map(({ id, claims }) => ({ name: nameIn(project, id), claims })),
  );
}

/** As much of Vitest as tells what a run was asked for; `filenamePattern` is not documented, and may be missing. */
type Asked = {
  filenamePattern?: readonly string[];
  config: {
    testNamePattern?: RegExp;
    tagsFilter?: readonly string[];
    shard?: { index: number; count: number };
    project?: string | readonly string[];
    changed?: boolean | string;
    related?: readonly string[];
    cliExclude?: readonly string[];
    mergeReports?: string;
  };
};

/** The options that leave tests out of a run, as they are written on a command line. */
export function selectionOf(vitest: Vitest): string[] {
  const { filenamePattern = [], config } = vitest as unknown as Asked;
  const { testNamePattern, tagsFilter = [], shard, project = [], changed, related = [], cliExclude = [] } = config;
  if (config.mergeReports) return ['the runs whose reports were merged'];
  return [
    ...filenamePattern.map(shellWord),
    ...(testNamePattern ? [`-t ${shellWord(testNamePattern.source)}`] : []),
    ...tagsFilter.map((filter) => `--tags-filter=${shellWord(filter)}`),
    ...(shard ? [`--shard=${shard.index}/${shard.count}`] : []),
    ...[project].flat().map((name) => `--project=${shellWord(name)}`),
    ...(changed ? [changed === true ? '--changed' : `--changed=${shellWord(changed)}`] : []),
    ...related.map((file) => `related ${shellWord(file)}`),
    ...cliExclude.map((glob) => `--exclude=${shellWord(glob)}`),
  ];
}
