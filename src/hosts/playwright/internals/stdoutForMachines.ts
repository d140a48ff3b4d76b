// Decides whether Playwright writes machine-readable output to stdout.
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/runner/reporters.ts (built-in reporters, PW_TEST_REPORTER)
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/reporters/base.ts (resolveOutputFile)
// An unknown reporter counts as machine-readable: the final lines of our reporter then go to stderr.
import type { ReporterDescription } from '@playwright/test';
import { isOwnReporter } from '../reporterPresence.js';

/** Built-in reporters that write for people, to files, or not at all. */
const humanReporters = new Set(['list', 'line', 'dot', 'failures', 'github', 'html', 'blob', 'perfetto', 'coverage', 'null']);
const machineReporters = new Set(['json', 'junit']);

/** Whether any reporter may write machine-readable output to stdout. */
export function isStdoutForMachines(reporters: readonly ReporterDescription[], env: NodeJS.ProcessEnv = process.env): boolean {
  const added = env.PW_TEST_REPORTER;
  const all: readonly ReporterDescription[] = added ? [...reporters, [added]] : reporters;
  return all.some(([name, options]) => {
    if (humanReporters.has(name) || isOwnReporter(name)) return false;
    return !machineReporters.has(name) || !hasOutputFile(name, options as Partial<Record<string, unknown>> | undefined, env);
  });
}

function hasOutputFile(name: string, options: Partial<Record<string, unknown>> | undefined, env: NodeJS.ProcessEnv): boolean {
  const variable = `PLAYWRIGHT_${name.toUpperCase()}_OUTPUT`;
  return Boolean(env[`${variable}_FILE`] || options?.outputFile || (env[`${variable}_NAME`] ?? options?.fileName));
}
