// Who reads what Playwright writes to stdout.
import type { ReporterDescription } from '@playwright/test';
import { isOwnReporter } from '../reporterPresence.js';

/** They write for people, to files, or not at all. */
const humanReporters = new Set(['list', 'line', 'dot', 'failures', 'github', 'html', 'blob', 'perfetto', 'coverage', 'null']);
const machineReporters = new Set(['json', 'junit']);

/**
 * True as soon as a reporter may write something to stdout that a machine parses: `json` and `junit` without a file, and every reporter
 * that we do not know.
 */
export function isStdoutForMachines(reporters: readonly ReporterDescription[], env: NodeJS.ProcessEnv = process.env): boolean {
  const more = env.PW_TEST_REPORTER;
  const all: readonly ReporterDescription[] = more ? [...reporters, [more]] : reporters;
  return all.some(([name, options]) => {
    if (humanReporters.has(name) || isOwnReporter(name)) return false;
    return !machineReporters.has(name) || !hasOutputFile(name, options as Partial<Record<string, unknown>> | undefined, env);
  });
}

/** As Playwright decides it (playwright/src/reporters/base.ts, resolveOutputFile, 1.65.0). */
function hasOutputFile(name: string, options: Partial<Record<string, unknown>> | undefined, env: NodeJS.ProcessEnv): boolean {
  const variable = `PLAYWRIGHT_${name.toUpperCase()}_OUTPUT`;
  return Boolean(env[`${variable}_FILE`] || options?.outputFile || (env[`${variable}_NAME`] ?? options?.fileName));
}
