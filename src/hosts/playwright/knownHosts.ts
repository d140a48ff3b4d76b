// The projects that the Playwright config of this process named, for tests that ask for a recipe themselves.
import type { TestInfo } from '@playwright/test';
import { loadValidSetup } from '../../run/project/loadProject.js';
import { portOf } from './attachedPort.js';
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
  const own = projectFiles.get(name);
  const named = own ?? [...projectFiles.values()][0];
  // Only the tests of that project run in its app.
  const port = own === undefined ? undefined : portOf(own);
  const known = opened.get(named ?? file) ?? open({ projectFile: named, file, port });
  opened.set(named ?? file, known);
  return known;
}

type Opening = { projectFile: string | undefined; file: string; port: number | undefined };

async function open({ projectFile, file, port }: Opening): Promise<RecipeHost> {
  const project = projectFile === undefined ? openProject(file, {}) : keptProject(projectFile);
  const { setupFile } = project;
  return openHost(project, setupFile === undefined ? {} : { default: await loadValidSetup(setupFile) }, port);
}
