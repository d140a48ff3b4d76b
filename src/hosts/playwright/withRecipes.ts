// Adds recipes to a Playwright config: one project more, the native specs untouched.
import { basename, dirname, join, resolve } from 'node:path';
import type { PlaywrightTestConfig } from '@playwright/test';
import { callerFile } from './callerFile.js';
import { writeShims } from './shims.js';

export type RecipeOptions = {
  /** Which documents are tests, relative to the config file. */
  recipes: string | readonly string[];
  /** The module with the project's own actions and fixtures, relative to the config file. */
  setup?: string;
  /** The name of the project that holds the recipes. */
  name?: string;
  /** What a project's `use` takes, for the recipes alone. */
  use?: PlaywrightTestConfig['use'];
};

type Project = NonNullable<PlaywrightTestConfig['projects']>[number];

export function withRecipes(config: PlaywrightTestConfig, options: RecipeOptions): PlaywrightTestConfig {
  const configFile = callerFile(import.meta.url);
  const root = configFile === undefined ? process.cwd() : dirname(configFile);
  // Playwright names files from the config's testDir: with it in the native projects, recipes are named from the config's folder.
  const { testDir, ...rest } = config;
  const native: Project[] = (config.projects ?? [{}]).map((project) => ({
    ...(testDir === undefined ? {} : { testDir }),
    ...project,
  }));
  return { ...rest, projects: [...native, recipeProject(root, basename(configFile ?? 'config'), options)] };
}

function recipeProject(root: string, configName: string, { recipes, setup, name = 'recipes', use }: RecipeOptions): Project {
  const testDir = join(cacheRoot(root), `${configName}--${name}`.replace(/[^\w.-]/g, '_'));
  // Workers load the config again; what they need is on disk by then.
  if (process.env.TEST_WORKER_INDEX === undefined) {
    writeShims({ root, testDir, patterns: [recipes].flat(), ...(setup === undefined ? {} : { setup: resolve(root, setup) }) });
  }
  // A project takes the config's testIgnore when it has none, and node_modules is what people ignore.
  return { name, testDir, testMatch: '**/*.js', testIgnore: [], ...(use ? { use } : {}) };
}

// Below node_modules, Playwright takes the files as they are instead of transforming each one.
function cacheRoot(root: string): string {
  return join(root, 'node_modules', '.cache', 'recipewright');
}
