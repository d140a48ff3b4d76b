// The reporters of a Playwright config, with the one that writes the packages.
import type { PlaywrightTestConfig, ReporterDescription } from '@playwright/test';

type Reporters = PlaywrightTestConfig['reporter'];

const ours = 'recipewright/playwright/reporter';

export function withReporter(given: Reporters): Reporters {
  const reporters = listed(given);
  const names = reporters.map(([name]) => name);
  // The packages of a blob are written by whoever merges it.
  if (names.includes('blob') || names.some((name) => name.includes(ours) || name.endsWith('playwright-reporter.js')))
    return given;
  return [...reporters, [ours]];
}

// Without any, Playwright takes its own by this rule.
function listed(given: Reporters): ReporterDescription[] {
  if (given === undefined) return [[process.env.CI ? 'dot' : 'list']];
  return typeof given === 'string' ? [[given]] : [...given];
}
