// Which names in a package are free for what a run captures.
import { posix } from 'node:path';
import { resolveInside } from '../system/files/files.js';

const taken = new Set([
  ...['recipe.json', 'summary.json', 'trace.json', 'journal.jsonl', 'artifact-manifest.json', 'workflow.json', 'issues.json'],
  ...['review.html', '.recipewright'],
]);

/** The authored document beside the recipe that ran. */
const authored = /^source\.(.*\.)?(json|md|ya?ml)$/;

/** A path inside of the package, in its one spelling, that is not one of the package's own; file systems may ignore case. */
export function isArtifactPath(path: string): boolean {
  const name = path.toLowerCase();
  const isOurs = taken.has(name) || name.startsWith('.recipewright') || authored.test(name);
  return resolveInside('/', path) !== undefined && posix.normalize(path) === path && !isOurs;
}
