import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { eventMs, testMs } from './test/support/patience.js';

/** These change globals that all code of the process sees. */
const changeGlobals = ['test/faults/documents.test.ts', 'test/faults/fileOperations.thorough.test.ts'];

/** "npm test" leaves out the files that take long and look closer; "npm run test:versions" runs them. */
const exclude = process.env.RECIPEWRIGHT_QUICK ? ['**/*.thorough.test.ts'] : [];

export default defineConfig({
  test: {
    // Files that share a process share our loaded sources, and one browser per worker.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared process',
          include: ['unit', 'property', 'contract', 'faults', 'browser'].map((folder) => `test/${folder}/**/*.test.ts`),
          exclude: [...changeGlobals, ...exclude],
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'own process', include: ['test/vitest/**/*.test.ts', ...changeGlobals], exclude, isolate: true },
      },
    ],
    testTimeout: testMs,
    hookTimeout: testMs,
    expect: { poll: { timeout: eventMs } },
    // Most of them wait for a browser or a process most of the time: with one worker per core, half of the machine is idle.
    maxWorkers: 2 * availableParallelism(),
  },
});
