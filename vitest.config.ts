import { defineConfig } from 'vitest/config';

// What drives browsers and test runners shares the machine of CI with others: there it has a second try, which the report names.
const retry = process.env.CI ? 1 : 0;
const usual = { testTimeout: 120_000 };

export default defineConfig({
  test: {
    projects: [
      { test: { ...usual, name: 'pure', include: ['test/{unit,property,contract,faults}/**/*.test.ts'] } },
      { test: { ...usual, name: 'driven', retry, include: ['test/{browser,vitest}/**/*.test.ts'] } },
    ],
  },
});
