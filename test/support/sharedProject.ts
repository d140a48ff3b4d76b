// A project with one run that several tests of a file check. Its results exist until the worker ends. Such a test file must call
// `test.describe.configure({ mode: 'default' })`, so that its tests share a worker.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, type Files, type Project, type ProjectOptions, type Run, type RunOptions } from './project.js';
import { stopRunning } from './runPlaywright.js';

export { expect } from '@playwright/test';

let root: string | undefined;

function sharedDir(): string {
  if (root !== undefined) return root;
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'recipewright-e2e-')));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  root = dir;
  return dir;
}

export const test = base.extend<{ workshop: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern.
  workshop: async ({}, use, { testId }) => {
    const dir = join(sharedDir(), testId);
    mkdirSync(dir, { recursive: true });
    await use(dir);
    await stopRunning();
  },
});

type MakeProject = (files: Files, options?: ProjectOptions) => Project;

/** Returns a function that starts the run on its first call and returns the same run on later calls. */
export function shareRun(
  files: Files,
  options?: ProjectOptions,
  runOptions: RunOptions | ((inner: Project) => RunOptions) = {},
): (project: MakeProject) => Promise<{ inner: Project; run: Run }> {
  let shared: Promise<{ inner: Project; run: Run }> | undefined;
  return (project) => {
    shared ??= (async () => {
      const inner = project(files, options);
      return { inner, run: await inner.run([], typeof runOptions === 'function' ? runOptions(inner) : runOptions) };
    })();
    return shared;
  };
}
