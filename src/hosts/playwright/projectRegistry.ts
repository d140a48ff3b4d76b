// The projects of the Playwright config that this process loaded, for native tests that run recipes.
import type { TestInfo } from '@playwright/test';
import { loadValidSetup } from '../../run/project/loadProject.js';
import { findProjectPort } from './attachedPort.js';
import { openHostProject, readProjectFile } from './hostProject.js';
import { openProjectContext, type ProjectContext } from './projectContext.js';

const projectFiles = new Map<string, string>();
const openedProjects = new Map<string, Promise<ProjectContext>>();

/** The config calls this when it is loaded, which happens in every process that runs tests. */
export function registerProject(name: string, projectFile: string): void {
  projectFiles.set(name, projectFile);
}

/** Returns the context of the test's own Playwright project, or else of the first registered one, or else of the folder of the test. */
export function findProjectContext({ file, project: { name } }: TestInfo): Promise<ProjectContext> {
  const ownFile = projectFiles.get(name);
  const projectFile = ownFile ?? [...projectFiles.values()][0];
  // Only the project's own tests run in its app.
  const port = ownFile === undefined ? undefined : findProjectPort(ownFile);
  const key = projectFile ?? file;
  const context = openedProjects.get(key) ?? openProject({ projectFile, file, port });
  openedProjects.set(key, context);
  return context;
}

type ProjectToOpen = { projectFile: string | undefined; file: string; port: number | undefined };

async function openProject({ projectFile, file, port }: ProjectToOpen): Promise<ProjectContext> {
  const project = projectFile === undefined ? openHostProject(file, {}) : readProjectFile(projectFile);
  const { setupFile } = project;
  return openProjectContext(project, setupFile === undefined ? {} : { default: await loadValidSetup(setupFile) }, port);
}
