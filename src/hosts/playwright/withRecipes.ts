// Adds recipes to a Playwright config: one project more and the reporter that writes packages, the native specs untouched.
import { dirname, join } from 'node:path';
import type { PlaywrightTestConfig } from '@playwright/test';
import { outputDirOf } from '../shared/outputDirs.js';
import { reporterFiles } from '../shared/reporterFiles.js';
import { callerFile } from './callerFile.js';
import { type Project, projectFrom, type RecipeOptions, rememberTreeOf } from './recipeProject.js';
import { startPlannedRun } from './runPlan.js';
import { outputDirOption, withReporter } from './withReporter.js';

export function withRecipes(config: PlaywrightTestConfig, options: RecipeOptions): PlaywrightTestConfig {
  const configFile = callerFile(import.meta.url) ?? join(process.cwd(), 'playwright.config.ts');
  // Playwright names files from the config's testDir: with it in the native projects, recipes are named from the config's folder.
  const { testDir, ...rest } = config;
  const native: Project[] = (config.projects ?? [{}]).map((project) => ({
    ...(testDir === undefined ? {} : { testDir }),
    ...project,
  }));
  const reporter = withReporter(config.reporter);
  const outputDir = outputDirOption(reporter);
  rememberTreeOf(configFile, {
    outputDir,
    hostDirs: [...(config.outputDir ? [config.outputDir] : []), ...reporterFiles(reporter)],
  });
  const recipes = projectFrom(configFile, options, reporter);
  startPlannedRun(outputDirOf(dirname(configFile), outputDir));
  return { ...rest, ...(reporter === undefined ? {} : { reporter }), projects: [...native, recipes] };
}
