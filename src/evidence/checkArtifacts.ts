// Every artifact a manifest names lies in the package, and says what it is and whose it is.
import { join } from 'node:path';
import type { Finding } from '../document/finding.js';
import { joinPointer } from '../document/pointer.js';
import type { Document } from '../document/readDocument.js';
import { kindOf, reallyInside } from '../system/files.js';
import { type ArtifactManifestJson, artifactTypes } from './models/artifactManifest.js';
import { safePath } from './models/fields.js';
import type { recipeNodes } from './recipeNodes.js';

type Manifest = { value: ArtifactManifestJson; document: Document; nodes: ReturnType<typeof recipeNodes> };
type Problem = Omit<Finding, 'place' | 'path'>;

export function checkArtifacts(dir: string, { value, document, nodes }: Manifest, findings: Finding[]): void {
  for (const [index, artifact] of value.artifacts.entries()) {
    const report = (field: string, problem: Problem | undefined): void => {
      const path = joinPointer('/artifacts', index, field);
      if (problem) findings.push({ ...problem, path, place: document.place(path) });
    };
    report('path', pathProblem(dir, artifact.path));
    report('type', typeProblem(artifact.type));
    if (typeof artifact.nodeId === 'string' && nodes?.(artifact.nodeId).kind === 'unknown')
      report('nodeId', unknownNode(artifact.nodeId));
  }
}

function pathProblem(dir: string, path: string): Problem | undefined {
  const said = JSON.stringify(path);
  const unsafe: Problem = {
    code: 'artifact_manifest.unsafe_path',
    severity: 'error',
    message: `The artifact path ${said} leads out of the package.`,
    hint: 'Write a path relative to the package, without a leading slash, a drive letter or "..".',
  };
  if (!safePath.test(path)) return unsafe;
  const file = join(dir, path);
  if (kindOf(file) === undefined) {
    const hint = 'Copy the file to the package, or take the entry out of the manifest.';
    return {
      code: 'artifact_manifest.missing_file',
      severity: 'error',
      message: `The artifact ${said} is not in the package.`,
      hint,
    };
  }
  return reallyInside(dir, file) ? undefined : unsafe;
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
