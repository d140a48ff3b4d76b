// An entry of a Playwright config's projects: recipes and flow catalogs as its tests.
import { dirname, join } from 'node:path';
import type { PlaywrightTestConfig } from '@playwright/test';
import { expectTree, ownFilesOf, rememberTree } from '../../run/treeAtStart.js';
import { attachedPort, attachTo, portOf } from './attachedPort.js';
import { callerFile } from './callerFile.js';
import { everyDocument } from './everyDocument.js';
import { cacheFolder, keepProject, openProject, type ProjectOptions, type RecipeValues } from './hostProject.js';
import { nameProject } from './knownHosts.js';
import { announceCommand } from './reporterPresence.js';
import { blobMetadata, planProject, startPlannedRun } from './runPlan.js';
import { type Shims, writeShims } from './shims.js';
import type { Reporters } from './withReporter.js';

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

export type Project = NonNullable<PlaywrightTestConfig['projects']>[number];

export function recipeProject(options: RecipeOptions = {}): Project {
  const configFile = callerFile(import.meta.url) ?? join(process.cwd(), 'playwright.config.ts');
  rememberTreeOf(configFile);
  const project = projectFrom(configFile, options);
  startPlannedRun();
  return project;
}

/** Workers know it by the environment; `outputDir` is that of the packages. */
export function rememberTreeOf(configFile: string, { outputDir, hostDirs = [] }: RunDirs = {}): void {
  if (process.env.TEST_WORKER_INDEX !== undefined) return;
  const root = dirname(configFile);
  const own = ownFilesOf(root, outputDir, [...hostDirs, 'test-results', 'playwright-report', 'blob-report']);
  // A test server loads the config once and runs tests many times, mostly without telling us.
  if (process.argv[2] === 'test') rememberTree(root, own);
  else expectTree(root, own);
}

type RunDirs = { outputDir?: string | undefined; hostDirs?: readonly string[] };

/** `configFile` is where the options were written. */
export function projectFrom(configFile: string, options: RecipeOptions, reporters?: Reporters): Project {
  const { name = 'recipes', use } = options;
  const folder = cacheFolder(configFile, name);
  const [projectFile, testDir] = [join(folder, 'project.json'), join(folder, 'shims')];
  nameProject(name, projectFile);
  // Workers load the config again; what they need is on disk, or in the environment, by then.
  const isWorker = process.env.TEST_WORKER_INDEX !== undefined;
  if (!isWorker) {
    attachTo(projectFile, options.cdpPort);
    announceCommand();
  }
  const shims = isWorker ? undefined : prepare({ configFile, projectFile, testDir }, options);
  // A project takes the config's testIgnore when it has none, and node_modules is what people ignore.
  const project: Project = {
    name,
    testDir,
    testMatch: '**/*.js',
    testIgnore: [],
    ...(use ? { use } : {}),
    ...(isWorker ? {} : blobMetadata(testDir, reporters)),
    ...oneWorkerFor(projectFile),
  };
  // The recipes of a folder have nothing to do with each other: workers and shards share them out.
  return shims === 'folder' ? { ...project, fullyParallel: true } : project;
}

/** Recipes in an app share its page. */
function oneWorkerFor(projectFile: string): Pick<Project, 'workers'> {
  return (attachedPort() ?? portOf(projectFile)) === undefined ? {} : { workers: 1 };
}

type Files = { configFile: string; projectFile: string; testDir: string };

function prepare({ configFile, projectFile, testDir }: Files, options: RecipeOptions): Shims {
  const project = openProject(configFile, options);
  keepProject(projectFile, project);
  const named = options.recipes ?? project.config.recipes;
  const root = options.recipes === undefined ? project.projectRoot : dirname(configFile);
  const patterns = [named ?? everyDocument].flat();
  const written = writeShims({ root, testDir, projectFile, patterns, setup: project.setupFile, shims: options.shims });
  planProject({ name: options.name ?? 'recipes', testDir, projectRoot: project.projectRoot, files: written.documents });
  return written.shims;
}
