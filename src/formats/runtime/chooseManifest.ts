// The manifest that a recipe node names, among those of the project.
import { didYouMean } from '../../document/didYouMean.js';
import type { Document } from '../../document/readDocument.js';

/** What stands before the id of a manifest where it is asked for. */
export const manifestPrefix = 'runtime-recipe:';

export function chooseManifest(id: string, documents: readonly Document[]): { document: Document } | { problem: string } {
  const candidates = documents.flatMap((document) => {
    const known = readManifestId(document);
    return known === undefined ? [] : [{ id: known, document }];
  });
  const [found, other] = candidates.filter((manifest) => manifest.id === id);
  if (found && other)
    return { problem: `${found.document.file} and ${other.document.file} both have this id. Rename one of them.` };
  if (found) return { document: found.document };
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
