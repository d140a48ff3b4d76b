// Every artifact a manifest names lies in the package, and says what it is and whose it is.
import { join, posix, resolve } from 'node:path';
import { didYouMean } from '../document/didYouMean.js';
import type { Finding } from '../document/finding.js';
import { joinPointer } from '../document/jsonPointer.js';
import type { Document } from '../document/readDocument.js';
import { isRealPathInside } from '../system/files/files.js';
import { readBounded } from '../system/files/readBounded.js';
import { type ArtifactManifestJson, artifactTypes } from './models/artifactManifest.js';
import { safePath } from './models/fields.js';
import type { RetainedRecipe } from './retainedRecipe.js';

type Manifest = { value: ArtifactManifestJson; document: Document; recipe: RetainedRecipe | undefined };
type Artifact = ArtifactManifestJson['artifacts'][number];
type Problem = Omit<Finding, 'place' | 'path'>;

export function checkArtifacts(dir: string, { value, document, recipe }: Manifest, findings: Finding[]): void {
  const seen = new Set<string>();
  for (const [index, artifact] of value.artifacts.entries()) {
    const report = (fields: readonly (string | number)[], problem: Problem | undefined): void => {
      const path = joinPointer('/artifacts', index, ...fields);
      if (problem) findings.push({ ...problem, path, place: document.place(path) });
    };
    report(['path'], pathProblem(dir, artifact) ?? repeated(artifact.path, seen));
    report(['type'], typeProblem(artifact.type));
    if (typeof artifact.nodeId === 'string' && recipe?.named(artifact.nodeId).kind === 'unknown')
      report(['nodeId'], unknownNode(artifact.nodeId));
    report(['proofTarget'], claimProblem(artifact.proofTarget, recipe));
    for (const [at, claim] of (artifact.covers ?? []).entries()) report(['covers', at], claimProblem(claim, recipe));
  }
}

function pathProblem(dir: string, { path, type }: Artifact): Problem | undefined {
  const said = JSON.stringify(path);
  const unsafe: Problem = {
    code: 'artifact_manifest.unsafe_path',
    severity: 'error',
    message: `The artifact path ${said} leads out of the package.`,
    hint: 'Write a path relative to the package, without a leading slash, a drive letter or "..".',
  };
  if (!safePath.test(path) || resolve(dir, path) === resolve(dir)) return unsafe;
  const file = join(dir, path);
  // Whether there is a byte in it is all that is asked.
  const read = readBounded(file, 0);
  if ('missing' in read || 'code' in read) {
    const message = `The artifact ${said} ${'code' in read ? `cannot be read (${read.code})` : 'is not in the package'}.`;
    const hint = 'Copy the file to the package, or take the entry out of the manifest.';
    return { code: 'artifact_manifest.missing_file', severity: 'error', message, hint };
  }
  if (!isRealPathInside(dir, file)) return unsafe;
  if ('kind' in read) {
    const message = `The artifact ${said} is ${read.kind}, not a file.`;
    return { code: 'artifact_manifest.not_a_file', severity: 'error', message, hint: 'List the files themselves.' };
  }
  return 'bytes' in read && isMedia(type) ? emptyMedia(said, type) : undefined;
}

function isMedia(type: string): boolean {
  return type === 'screenshot' || type === 'video';
}

function emptyMedia(said: string, type: string): Problem {
  const message = `The ${type} ${said} has 0 bytes: it shows nothing.`;
  const hint = 'Run the recipe again, or take the entry out of the manifest.';
  return { code: 'artifact_manifest.empty_file', severity: 'error', message, hint };
}

function repeated(path: string, seen: Set<string>): Problem | undefined {
  const plain = posix.normalize(path);
  const isNew = !seen.has(plain);
  seen.add(plain);
  if (isNew) return undefined;
  const message = `The artifact ${JSON.stringify(path)} is listed more than once.`;
  const hint = 'List it once; "covers" names all the claims that it supports.';
  return { code: 'artifact_manifest.duplicate_path', severity: 'warning', message, hint };
}

function claimProblem(claim: string | null | undefined, recipe: RetainedRecipe | undefined): Problem | undefined {
  if (typeof claim !== 'string' || !recipe?.claims || recipe.claims.has(claim)) return undefined;
  const message = `The artifact is for the claim ${JSON.stringify(claim)}, which recipe.json does not declare.`;
  const hint = didYouMean(claim, [...recipe.claims]);
  return { code: 'artifact_manifest.undeclared_proof_target', severity: 'warning', message, hint };
}

function typeProblem(type: string): Problem | undefined {
  if (artifactTypes.some((known) => known === type)) return undefined;
  const message = `The artifact type ${JSON.stringify(type)} is not one of the protocol.`;
  return { code: 'artifact_manifest.unknown_type', severity: 'warning', message, hint: `Known: ${artifactTypes.join(', ')}.` };
}

function unknownNode(id: string): Problem {
  const message = `The artifact names the node ${JSON.stringify(id)}, which recipe.json does not have.`;
  const hint = 'Name the node that made it, or leave "nodeId" out.';
  return { code: 'artifact_manifest.unknown_node', severity: 'warning', message, hint };
}
