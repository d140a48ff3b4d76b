// The reporters of a Playwright config, with the one that writes the packages.
import type { PlaywrightTestConfig, ReporterDescription } from '@playwright/test';

type Reporters = PlaywrightTestConfig['reporter'];

const ours = 'recipewright/playwright/reporter';

export function withReporter(given: Reporters): Reporters {
  const reporters = listed(given);
  return keepsPackages(reporters) ? given : [...reporters, [ours]];
}

/** The packages of a blob are written by whoever merges it. */
export function keepsPackages(reporters: readonly ReporterDescription[]): boolean {
  return reporters.some(([name]) => name === 'blob' || name.includes(ours) || name.endsWith('playwright-reporter.js'));
}

// Without any, Playwright takes its own by this rule.
function listed(given: Reporters): ReporterDescription[] {
  if (given === undefined) return [[process.env.CI ? 'dot' : 'list']];
  return typeof given === 'string' ? [[given]] : [...given];
}
