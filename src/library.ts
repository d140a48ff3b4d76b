// All of this package in one script, since only a script starts from bytecode (decisions/020). A part is run when it is asked for.
export const parts = {
  index: () => require('./index.js'),
  cli: () => require('./cli/main.js'),
  playwright: () => require('./playwright.js'),
  'playwright-register': () => require('../fixtures/declareTests.js'),
  'playwright-config': () => require('./hosts/playwright/configThread.js'),
  'playwright-reporter': () => require('../reporters/playwright.js'),
  vitest: () => require('./vitest.js'),
  runInTest: () => require('./hosts/vitest/runInTest.js'),
  'vitest-reporter': () => require('../reporters/vitest.js'),
  template: () => require('./template.js'),
  'detached-runner': () => require('./hosts/detached/runner.js'),
} satisfies Record<string, () => unknown>;
