// The projects that the Playwright config of this process named, for tests that ask for a recipe themselves.
import type { TestInfo } from '@playwright/test';
import { loadValidSetup } from '../../run/project/loadProject.js';
import { findProjectPort } from './attachedPort.js';
import { openHostProject, readProjectFile } from './hostProject.js';
import { openProjectContext, type ProjectContext } from './projectContext.js';

const projectFiles = new Map<string, string>();
const openedProjects = new Map<string, Promise<ProjectContext>>();

/** A config is loaded in every process that runs tests, and so says there what it says. */
export function registerProject(name: string, projectFile: string): void {
  projectFiles.set(name, projectFile);
}

/** The one of the test's own Playwright project, else the first; without any, what lies around the test. */
export function findProjectContext({ file, project: { name } }: TestInfo): Promise<ProjectContext> {
  const own = projectFiles.get(name);
  const named = own ?? [...projectFiles.values()][0];
  // Only the tests of that project run in its app.
  const port = own === undefined ? undefined : findProjectPort(own);
  const known = openedProjects.get(named ?? file) ?? openRegistered({ projectFile: named, file, port });
  openedProjects.set(named ?? file, known);
  return known;
}

type ProjectToOpen = { projectFile: string | undefined; file: string; port: number | undefined };

async function openRegistered({ projectFile, file, port }: ProjectToOpen): Promise<ProjectContext> {
  const project = projectFile === undefined ? openHostProject(file, {}) : readProjectFile(projectFile);
  const { setupFile } = project;
  return openProjectContext(project, setupFile === undefined ? {} : { default: await loadValidSetup(setupFile) }, port);
}
