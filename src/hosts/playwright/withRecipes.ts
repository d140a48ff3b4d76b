// Adds a project for recipes, and the reporter that writes packages, to a Playwright config.
import { dirname, join } from 'node:path';
import type { PlaywrightTestConfig } from '@playwright/test';
import { deferTreeRead, ownFilesOf, rememberTree } from '../../run/treeAtStart.js';
import { findChromium, launchOptionsFor } from '../../system/browsers.js';
import { resolveOutputDir } from '../shared/outputDirs.js';
import { listReporterFiles } from '../shared/reporterFiles.js';
import { findAttachedPort, findProjectPort, setProjectPort } from './attachedPort.js';
import { findCallerFile } from './findCallerFile.js';
import {
  defaultRecipePatterns,
  findCacheFolder,
  openHostProject,
  type ProjectOptions,
  type RecipeValues,
  writeProjectFile,
} from './hostProject.js';
import { readCommand } from './internals/commandLine.js';
import { registerProject } from './projectRegistry.js';
import { addRecipeReporter, announceCommand, findOutputDirOption } from './reporterPresence.js';
import { createBlobMetadata, planProject, startPlannedRun } from './runPlan.js';
import { type Shims, writeShims } from './shims.js';

export function withRecipes(config: PlaywrightTestConfig, options: RecipeOptions): PlaywrightTestConfig {
  const configFile = findCallerFile(import.meta.url) ?? join(process.cwd(), 'playwright.config.ts');
  // Reports show paths relative to the `testDir` of the config. So `testDir` moves to the native projects, and recipes are relative to the config's folder.
  const { testDir, ...rest } = config;
  const nativeProjects: PlaywrightProject[] = (config.projects ?? [{}]).map((project) => ({
    ...(testDir === undefined ? {} : { testDir }),
    ...project,
  }));
  const reporter = addRecipeReporter(config.reporter);
  const outputDir = findOutputDirOption(reporter);
  rememberWorkTree(configFile, {
    outputDir,
    hostDirs: [...(config.outputDir ? [config.outputDir] : []), ...listReporterFiles(reporter)],
  });
  const recipes = createRecipeProject(configFile, options);
  startPlannedRun(resolveOutputDir(dirname(configFile), outputDir));
  return { ...rest, ...(reporter === undefined ? {} : { reporter }), projects: [...nativeProjects, recipes] };
}

export type RecipeOptions = ProjectOptions & {
  /** Globs of the documents that are tests, relative to the Playwright config. Default: the globs of the recipewright config. */
  recipes?: string | readonly string[];
  /** One test file for each document or for each folder. The default depends on the number of documents. */
  shims?: Shims;
  /** Attach to a running app by its debugging port. The app is never closed. Implies one worker. */
  cdpPort?: number;
  /** The name of the Playwright project. Default: `recipes`. */
  name?: string;
  /** Options as in a project's `use`, for the recipes only. */
  use?: PlaywrightTestConfig['use'] & { recipeOptions?: RecipeValues };
};

type PlaywrightProject = NonNullable<PlaywrightTestConfig['projects']>[number];

/** Creates only the project of the recipes, for the `projects` of a Playwright config. */
export function recipeProject(options: RecipeOptions = {}): PlaywrightProject {
  const configFile = findCallerFile(import.meta.url) ?? join(process.cwd(), 'playwright.config.ts');
  rememberWorkTree(configFile);
  const project = createRecipeProject(configFile, options);
  startPlannedRun();
  return project;
}

type RunDirs = { outputDir?: string | undefined; hostDirs?: readonly string[] };

/** Reads the work tree before the run, for all workers. `outputDir`: the folder of the packages. `hostDirs`: the folders of other reporters. */
function rememberWorkTree(configFile: string, { outputDir, hostDirs = [] }: RunDirs = {}): void {
  if (process.env.TEST_WORKER_INDEX !== undefined) return;
  const root = dirname(configFile);
  const own = ownFilesOf(root, outputDir, [...hostDirs, 'test-results', 'playwright-report', 'blob-report']);
  // A test server loads the config once and runs tests many times.
  if (readCommand() === 'test') rememberTree(root, own);
  else deferTreeRead(root, own);
}

function createRecipeProject(configFile: string, options: RecipeOptions): PlaywrightProject {
  const { name = 'recipes', use } = options;
  const folder = findCacheFolder(configFile, name);
  const projectFile = join(folder, 'project.json');
  const testDir = join(folder, 'shims');
  registerProject(name, projectFile);
  // Workers load the config again, and read the project from disk and the environment.
  const isWorker = process.env.TEST_WORKER_INDEX !== undefined;
  if (!isWorker) {
    setProjectPort(projectFile, options.cdpPort);
    announceCommand();
  }
  const shims = isWorker ? undefined : prepareShims({ configFile, projectFile, testDir }, options);
  // Without its own testIgnore, the project would inherit that of the config, which often ignores node_modules.
  const project: PlaywrightProject = {
    name,
    testDir,
    testMatch: '**/*.js',
    testIgnore: [],
    ...(use ? { use } : {}),
    ...(isWorker ? {} : createBlobMetadata(testDir)),
    ...limitWorkers(projectFile),
  };
  // The recipes of a folder are independent, so several workers and shards may run them.
  return shims === 'folder' ? { ...project, fullyParallel: true } : project;
}

/** Allows one worker for recipes that attach to an app, because they share its page. */
function limitWorkers(projectFile: string): Pick<PlaywrightProject, 'workers'> {
  return (findAttachedPort() ?? findProjectPort(projectFile)) === undefined ? {} : { workers: 1 };
}

type ProjectFiles = { configFile: string; projectFile: string; testDir: string };

function prepareShims({ configFile, projectFile, testDir }: ProjectFiles, options: RecipeOptions): Shims {
  const project = openHostProject(configFile, options);
  writeProjectFile(projectFile, project);
  const root = options.recipes === undefined ? project.projectRoot : dirname(configFile);
  const patterns = [options.recipes ?? project.config.recipes ?? defaultRecipePatterns].flat();
  const result = writeShims({ root, testDir, projectFile, patterns, setup: project.setupFile, shims: options.shims });
  planProject({ name: options.name ?? 'recipes', testDir, projectRoot: project.projectRoot, files: result.documents });
  return result.shims;
}

/** Returns options for `use` that select the Chrome or Chromium of this machine, unless Playwright's own Chromium is installed. */
export function localChromium(): ReturnType<typeof launchOptionsFor> {
  return launchOptionsFor(findChromium());
}
