// recipewright review DIR [--watch] [--no-open] [--json]: shows a package or a suite in a browser of this machine until it is interrupted.

import { printFinding } from '../document/printFinding.js';
import { exitCodes } from '../evidence/exitCodes.js';
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
  const dir = openPackageDir(
    name,
    `There is no directory ${name}: name a package, or the directory of a suite, or a zip archive of it.`,
  );
  const isTrusted = printUntrusted(dir);
  const { url, close } = await serveReview(dir, { watch: Boolean(watch) });
  // Whoever reads the address may end us at once.
  const interrupted = new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => done());
  });
  if (json) printJson({ url });
  else print(`The review of ${name} is at ${url}\nEnd it with Ctrl+C.`);
  // Programs that start us are told the address and do as they like.
  if (open && !json && process.stdout.isTTY) openInBrowser(url);
  await interrupted;
  await close();
  return isTrusted ? exitCodes.pass : exitCodes.failed;
}

/** Says what of a suite is not what its index lists; the pages say so, too. */
function printUntrusted(dir: string): boolean {
  const { packages = [], unlisted = [], findings = [] } = checkSuite(dir) ?? {};
  const all = [...findings, ...[...packages, ...unlisted].flatMap(({ finding }) => finding ?? [])];
  for (const finding of all) printToStderr(`${finding.severity}: ${printFinding(finding)}`);
  return all.length === 0;
}
