// A project with Playwright, whose browsers write into a directory of its own.
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
  const made = cliProject({ 'package.json': {}, 'a.recipe.json': document, ...files });
  symlinkSync(modules, join(made.dir, 'node_modules'));
  const temp = join(made.dir, 'temp');
  mkdirSync(temp);
  vi.stubEnv('TMPDIR', temp);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { ...made, temp };
}

export function summaryIn({ dir }: Project): Record<string, unknown> {
  return JSON.parse(readFileSync(join(dir, 'out/summary.json'), 'utf8'));
}

export function browsersOf({ temp }: PlainProject): number[] {
  return running(temp)
    .map(Number)
    .sort((a, b) => a - b);
}

/** Nothing that a browser leaves: no process, no profile. */
export function expectGone(made: PlainProject): void {
  expect(browsersOf(made)).toEqual([]);
  // Node 22 and newer keep compiled code there, for the next start of the same command.
  expect(readdirSync(made.temp).filter((name) => name !== 'node-compile-cache')).toEqual([]);
}
