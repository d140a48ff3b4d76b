import { defineConfig } from 'vitest/config';

/** What takes the process of its own apart, a browser or a test runner, is kept to itself; the rest need not load our sources anew for each file. */
const project = (name: string, folders: string, isolate: boolean) => ({
  extends: true as const,
  test: { name, include: [`test/{${folders}}/**/*.test.ts`], isolate },
});

export default defineConfig({
  // What drives a browser or a test runner takes its time on a busy machine.
  test: {
    projects: [project('sources', 'unit,property,contract', false), project('hosts', 'faults,browser,vitest', true)],
    testTimeout: 120_000,
    // Most of them wait for a browser or a process most of the time: one per core, not one less.
    maxWorkers: '100%',
  },
});
