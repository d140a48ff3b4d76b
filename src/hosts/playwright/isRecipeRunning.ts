import { type TestInfo, test } from '@playwright/test';
import { wire } from './wire.js';

let last: { test: TestInfo | undefined; isRecipe: boolean } = { test: undefined, isRecipe: false };

/** Whether the test that this process runs now, hooks and fixtures included, is that of a recipe or a flow. */
export function isRecipeRunning(): boolean {
  const current = currentTest();
  if (current !== last.test) {
    last = { test: current, isRecipe: current?.annotations.some(({ type }) => type === wire.identity) ?? false };
  }
  return last.isRecipe;
}

function currentTest(): TestInfo | undefined {
  try {
    return test.info();
  } catch {
    // test.info() throws where no test runs: while files are loaded, and between two tests.
    return undefined;
  }
}
