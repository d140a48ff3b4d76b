// A project with Playwright. Its browsers write into a temporary directory in the project.
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, vi } from 'vitest';
import { cliProject, type Project } from '../support/cli.js';
import { running } from '../support/processProbe.js';

export type PlainProject = Project & { temp: string };

export const run = ['run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out'];

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

export function plainProject(document: unknown, files: Record<string, unknown> = {}): PlainProject {
  const project = cliProject({ 'package.json': {}, 'a.recipe.json': document, ...files });
  symlinkSync(modules, join(project.dir, 'node_modules'));
  const temp = join(project.dir, 'temp');
  mkdirSync(temp);
  vi.stubEnv('TMPDIR', temp);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { ...project, temp };
}

export function summaryIn({ dir }: Project): Record<string, unknown> {
  return JSON.parse(readFileSync(join(dir, 'out/summary.json'), 'utf8'));
}

export function browsersOf({ temp }: PlainProject): number[] {
  return running(temp)
    .map(Number)
    .sort((a, b) => a - b);
}

/** Expects that no process and no profile of a browser is left. */
export function expectNoBrowserLeft(project: PlainProject): void {
  expect(browsersOf(project)).toEqual([]);
  // Node 22 and newer store compiled code there.
  expect(readdirSync(project.temp).filter((name) => name !== 'node-compile-cache')).toEqual([]);
}
