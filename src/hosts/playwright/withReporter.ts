// The reporters of a Playwright config, with the one that writes the packages.
import type { PlaywrightTestConfig, ReporterDescription } from '@playwright/test';
import { isOurs, rememberReporters, reporterName } from './reporterPresence.js';

export type Reporters = PlaywrightTestConfig['reporter'];

/** The packages of a blob are written by whoever merges it. */
export function withReporter(given: Reporters): Reporters {
  const reporters = listed(given);
  rememberReporters(reporters);
  return reporters.some(([name]) => name === 'blob' || isOurs(name)) ? given : [...reporters, [reporterName]];
}

/** The option of our reporter in a config, if it is among them. */
export function outputDirOption(given: Reporters): string | undefined {
  const own = listed(given).find(([name]) => isOurs(name));
  return own?.[1]?.outputDir as string | undefined;
}

// Without any, Playwright takes its own by this rule.
function listed(given: Reporters): ReporterDescription[] {
  if (given === undefined) return [[process.env.CI ? 'dot' : 'list']];
  return typeof given === 'string' ? [[given]] : [...given];
}
