// Finds the manifest of a recipe node among the manifests of the project, by its id.
import { didYouMean } from '../../document/didYouMean.js';
import type { Document } from '../../document/readDocument.js';

/** The prefix of references to manifests. */
export const manifestPrefix = 'runtime-recipe:';

export function chooseManifest(id: string, documents: readonly Document[]): { document: Document } | { problem: string } {
  const candidates = documents.flatMap((document) => {
    const manifestId = readManifestId(document);
    return manifestId === undefined ? [] : [{ id: manifestId, document }];
  });
  const [match, duplicate] = candidates.filter((manifest) => manifest.id === id);
  if (match && duplicate)
    return { problem: `${match.document.file} and ${duplicate.document.file} both have this id. Rename one of them.` };
  if (match) return { document: match.document };
  return {
    problem: `no manifest of the project has this id. ${didYouMean(
      id,
      candidates.map((manifest) => manifest.id),
    )}`,
  };
}

function readManifestId({ value }: Document): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'topology')) return undefined;
  const { id } = value as { id?: unknown };
  return typeof id === 'string' ? id : undefined;
}
