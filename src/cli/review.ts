// recipewright review DIR [--watch] [--no-open] [--json]: shows a package or a suite in a browser of this machine until it is interrupted.
import { resolve } from 'node:path';
import { exitCodes } from '../evidence/failure.js';
import { serveReview } from '../review/serve/serveReview.js';
import { kindOf } from '../system/files.js';
import { openInBrowser } from '../system/openInBrowser.js';
import { print, printJson } from './output.js';
import { UsageError } from './usage.js';

export type ReviewOptions = { json?: unknown; watch?: unknown; open?: unknown };

export async function review(names: readonly string[], { json, watch, open = true }: ReviewOptions): Promise<number> {
  const [name, ...more] = names;
  if (name === undefined || more.length > 0) throw new UsageError(`review needs one directory, but it got ${names.length}.`);
  if (kindOf(name) !== 'directory')
    throw new UsageError(`There is no directory ${name}: name a package, or the directory of a suite.`);
  const { url, close } = await serveReview(resolve(name), { watch: Boolean(watch) });
  if (json) printJson({ url });
  else print(`The review of ${name} is at ${url}\nEnd it with Ctrl+C.`);
  // Programs that start us are told the address and do as they like.
  if (open && !json && process.stdout.isTTY) openInBrowser(url);
  await new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => done());
  });
  await close();
  return exitCodes.pass;
}
