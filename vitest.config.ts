import { defineConfig } from 'vitest/config';

export default defineConfig({
  // What drives a browser or a test runner takes its time on a busy machine.
  test: {
    include: ['test/{unit,property,contract,faults,browser,vitest}/**/*.test.ts'],
    testTimeout: 120_000,
    // Most of them wait for a browser or a process most of the time: one per core, not one less.
    maxWorkers: '100%',
  },
});
