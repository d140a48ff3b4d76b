import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { eventMs, testMs } from './test/support/patience.js';

/** What takes the process of its own apart, a browser or a test runner, is kept to itself; the rest need not load our sources anew for each file. */
const project = (name: string, folders: string, isolate: boolean) => ({
  extends: true as const,
  test: { name, include: [`test/{${folders}}/**/*.test.ts`], isolate },
});

export default defineConfig({
  test: {
    projects: [project('sources', 'unit,property,contract', false), project('hosts', 'faults,browser,vitest', true)],
    testTimeout: testMs,
    hookTimeout: testMs,
    expect: { poll: { timeout: eventMs } },
    // Most of them wait for a browser or a process most of the time: with one worker per core, half of the machine is idle.
    maxWorkers: 2 * availableParallelism(),
  },
});
