import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { eventMs, testMs } from './test/support/patience.js';

/** Files that need a process of their own, such as those of a test runner, are isolated. The others share our loaded sources and one browser per worker. */
const project = (name: string, folders: readonly string[], isolate: boolean) => ({
  extends: true as const,
  test: { name, include: folders.map((folder) => `test/${folder}/**/*.test.ts`), isolate },
});

export default defineConfig({
  test: {
    projects: [
      project('sources', ['unit', 'property', 'contract'], false),
      project('browser', ['browser'], false),
      project('hosts', ['faults', 'vitest'], true),
    ],
    testTimeout: testMs,
    hookTimeout: testMs,
    expect: { poll: { timeout: eventMs } },
    // Most of them wait for a browser or a process most of the time: with one worker per core, half of the machine is idle.
    maxWorkers: 2 * availableParallelism(),
  },
});
