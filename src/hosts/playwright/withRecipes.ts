// Adds recipes to a Playwright config: one project more and the reporter that writes packages, the native specs untouched.
import { dirname, join } from 'node:path';
import type { PlaywrightTestConfig } from '@playwright/test';
import { expectTree, ownFilesOf, rememberTree } from '../../run/treeAtStart.js';
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
  // Playwright names files from the config's testDir: with it in the native projects, recipes are named from the config's folder.
  const { testDir, ...rest } = config;
  const native: PlaywrightProject[] = (config.projects ?? [{}]).map((project) => ({
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
  return { ...rest, ...(reporter === undefined ? {} : { reporter }), projects: [...native, recipes] };
}

// An entry of a Playwright config's projects: recipes and flow catalogs as its tests.

export type RecipeOptions = ProjectOptions & {
  /** Which documents are tests, relative to the Playwright config; else those that the recipewright config names. */
  recipes?: string | readonly string[];
  /** One test file for each document, or for each folder; else it depends on how many there are. */
  shims?: Shims;
  /** The debugging port of an app that runs already: recipes run in it, one after the other, and nothing of it is closed. */
  cdpPort?: number;
  /** The name of the project that holds the recipes. */
  name?: string;
  /** What a project's `use` takes, for the recipes alone. */
  use?: PlaywrightTestConfig['use'] & { recipeOptions?: RecipeValues };
};

export type PlaywrightProject = NonNullable<PlaywrightTestConfig['projects']>[number];

export function recipeProject(options: RecipeOptions = {}): PlaywrightProject {
  const configFile = findCallerFile(import.meta.url) ?? join(process.cwd(), 'playwright.config.ts');
  rememberWorkTree(configFile);
  const project = createRecipeProject(configFile, options);
  startPlannedRun();
  return project;
}

/** Workers know it by the environment; `outputDir` is that of the packages. */
export function rememberWorkTree(configFile: string, { outputDir, hostDirs = [] }: RunDirs = {}): void {
  if (process.env.TEST_WORKER_INDEX !== undefined) return;
  const root = dirname(configFile);
  const own = ownFilesOf(root, outputDir, [...hostDirs, 'test-results', 'playwright-report', 'blob-report']);
  // A test server loads the config once and runs tests many times, mostly without telling us.
  if (readCommand() === 'test') rememberTree(root, own);
  else expectTree(root, own);
}

type RunDirs = { outputDir?: string | undefined; hostDirs?: readonly string[] };

/** `configFile` is where the options were written. */
export function createRecipeProject(configFile: string, options: RecipeOptions): PlaywrightProject {
  const { name = 'recipes', use } = options;
  const folder = findCacheFolder(configFile, name);
  const [projectFile, testDir] = [join(folder, 'project.json'), join(folder, 'shims')];
  registerProject(name, projectFile);
  // Workers load the config again; what they need is on disk, or in the environment, by then.
  const isWorker = process.env.TEST_WORKER_INDEX !== undefined;
  if (!isWorker) {
    setProjectPort(projectFile, options.cdpPort);
    announceCommand();
  }
  const shims = isWorker ? undefined : prepareShims({ configFile, projectFile, testDir }, options);
  // A project takes the config's testIgnore when it has none, and node_modules is what people ignore.
  const project: PlaywrightProject = {
    name,
    testDir,
    testMatch: '**/*.js',
    testIgnore: [],
    ...(use ? { use } : {}),
    ...(isWorker ? {} : createBlobMetadata(testDir)),
    ...limitWorkers(projectFile),
  };
  // The recipes of a folder have nothing to do with each other: workers and shards share them out.
  return shims === 'folder' ? { ...project, fullyParallel: true } : project;
}

/** Recipes in an app share its page. */
function limitWorkers(projectFile: string): Pick<PlaywrightProject, 'workers'> {
  return (findAttachedPort() ?? findProjectPort(projectFile)) === undefined ? {} : { workers: 1 };
}

type ProjectFiles = { configFile: string; projectFile: string; testDir: string };

function prepareShims({ configFile, projectFile, testDir }: ProjectFiles, options: RecipeOptions): Shims {
  const project = openHostProject(configFile, options);
  writeProjectFile(projectFile, project);
  const configuredPatterns = options.recipes ?? project.config.recipes;
  const root = options.recipes === undefined ? project.projectRoot : dirname(configFile);
  const patterns = [configuredPatterns ?? defaultRecipePatterns].flat();
  const written = writeShims({ root, testDir, projectFile, patterns, setup: project.setupFile, shims: options.shims });
  planProject({ name: options.name ?? 'recipes', testDir, projectRoot: project.projectRoot, files: written.documents });
  return written.shims;
}

// A browser for a `use` block: nothing where Playwright's own is installed, else the Chrome or Chromium of this machine.

export function localChromium(): ReturnType<typeof launchOptionsFor> {
  return launchOptionsFor(findChromium());
}
