// The projects that the Playwright config of this process named, for tests that ask for a recipe themselves.
import type { TestInfo } from '@playwright/test';
import { loadSound } from '../../run/loadProject.js';
import { keptProject, openProject } from './hostProject.js';
import { openHost, type RecipeHost } from './recipeHost.js';

const projectFiles = new Map<string, string>();
const opened = new Map<string, Promise<RecipeHost>>();

/** A config is loaded in every process that runs tests, and so says there what it says. */
export function nameProject(name: string, projectFile: string): void {
  projectFiles.set(name, projectFile);
}

/** The one of the test's own Playwright project, else the first; without any, what lies around the test. */
export function hostOf({ file, project: { name } }: TestInfo): Promise<RecipeHost> {
  const named = projectFiles.get(name) ?? [...projectFiles.values()][0];
  const known = opened.get(named ?? file) ?? open(named, file);
  opened.set(named ?? file, known);
  return known;
}

async function open(projectFile: string | undefined, file: string): Promise<RecipeHost> {
  const project = projectFile === undefined ? openProject(file, {}) : keptProject(projectFile);
  const { setupFile } = project;
  return openHost(project, setupFile === undefined ? {} : { default: await loadSound(setupFile) });
}
