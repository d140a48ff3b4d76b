// Whether a directory is a whole and consistent evidence package, of either dialect. Digests are the business of `verify`.
import type { Finding } from '../document/finding.js';
import { readPathKind } from '../system/files/files.js';
import { checkArtifacts } from './checkArtifacts.js';
import type { ArtifactManifestJson } from './models/artifactManifest.js';
import type { SummaryJson } from './models/summary.js';
import { openPart, readPart, readTrace } from './packageDocuments.js';
import { checkCounts, checkTraceNodes } from './packageRules.js';
import { noDirectory } from './readPackage.js';
import { type RetainedRecipe, retainedRecipe } from './retainedRecipe.js';

/** A trace that is too large to be looked at as a whole can be left out. */
export function checkPackage(dir: string, { withTrace = true }: { withTrace?: boolean } = {}): Finding[] {
  if (readPathKind(dir) !== 'directory') return [noDirectory(dir)];
  const findings: Finding[] = [];
  const manifest = readPart<ArtifactManifestJson>(dir, 'artifact-manifest.json', findings);
  const summary = readPart<SummaryJson>(dir, 'summary.json', findings);
  const trace = withTrace ? readTrace(dir, findings) : undefined;
  const recipe = readRecipe(dir, findings);
  if (manifest) checkArtifacts(dir, { ...manifest, recipe }, findings);
  if (trace && recipe) checkTraceNodes(trace, recipe, findings);
  checkCounts({ manifest, summary, trace }, findings);
  return findings;
}

function readRecipe(dir: string, findings: Finding[]): RetainedRecipe | undefined {
  const document = openPart(dir, 'recipe.json', findings);
  if (!document) return undefined;
  const recipe = retainedRecipe(document.value);
  if (typeof recipe !== 'string') {
    if (!Object.hasOwn(document.value as object, 'validate')) openPart(dir, 'recipe-resolution.json', findings);
    return recipe;
  }
  findings.push({
    code: 'artifact_package.invalid_recipe',
    severity: 'error',
    path: '',
    place: document.place(''),
    message: `This is no recipe: ${recipe}.`,
    hint: 'The package must keep the recipe that ran: copy it from the run.',
  });
  return undefined;
}
