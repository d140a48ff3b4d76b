// recipewright review: serves a package or a suite to a browser on this machine until the command is interrupted.

import { printFinding } from '../document/printFinding.js';
import { exitCodes } from '../evidence/failureTable.js';
import { serveReview } from '../review/serve/serveReview.js';
import { openInBrowser } from '../system/openInBrowser.js';
import { checkSuite } from '../verify/verifySuite.js';
import { openPackageDir } from './openPackageDir.js';
import { print, printJson, printToStderr } from './output.js';
import { UsageError } from './usage.js';

export type ReviewOptions = { json?: unknown; watch?: unknown; open?: unknown };

export async function review(names: readonly string[], { json, watch, open = true }: ReviewOptions): Promise<number> {
  const [name, ...more] = names;
  if (name === undefined || more.length > 0) throw new UsageError(`review needs one directory, but it got ${names.length}.`);
  const dir = openPackageDir(name);
  const isTrusted = printSuiteProblems(dir);
  const { url, close } = await serveReview(dir, { watch: Boolean(watch) });
  // Listens before it prints the URL, because the reader of the URL may send a signal at once.
  const interrupted = new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => done());
  });
  if (json) printJson({ url });
  else print(`The review of ${name} is at ${url}\nPress Ctrl+C to stop.`);
  // A program that reads the JSON opens the URL itself.
  if (open && !json && process.stdout.isTTY) openInBrowser(url);
  await interrupted;
  await close();
  return isTrusted ? exitCodes.pass : exitCodes.failed;
}

/** Prints the differences between a suite and its index, as the pages do. Returns whether there are none. */
function printSuiteProblems(dir: string): boolean {
  const { packages = [], unlisted = [], findings = [] } = checkSuite(dir) ?? {};
  const all = [...findings, ...[...packages, ...unlisted].flatMap(({ finding }) => finding ?? [])];
  for (const finding of all) printToStderr(`${finding.severity}: ${printFinding(finding)}`);
  return all.length === 0;
}
