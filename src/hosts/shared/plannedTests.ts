// Which tests the documents of a project stand for, and what they would prove: told from their text, without checking them.

import { recipeId } from '../../evidence/runIdentity.js';
import type { DeclaredClaim } from '../../evidence/suite.js';
import { tryReadText } from '../../system/files/files.js';
import { claimsIn, testsOfFile } from './declaredTests.js';

export type PlannedTest = { id: string; claims: readonly DeclaredClaim[] };

export function plannedTests(file: string, projectRoot: string): PlannedTest[] {
  const claims = file.endsWith('.recipe.json') ? claimsOfRecipe(file) : undefined;
  if (claims) return [{ id: recipeId(file, projectRoot), claims }];
  return testsOfFile(file, projectRoot).map(({ identity, claims }) => ({ id: identity.id, claims }));
}

/** Their ids alone. A catalog, which has to be read for that, counts as one. */
export function plannedIds(files: readonly string[], projectRoot: string): string[] {
  return files.map((file) => recipeId(file, projectRoot).replace(/\.flows\.json$/, '.flows'));
}

// To read thousands of documents with all their positions takes four times as long.
function claimsOfRecipe(file: string): DeclaredClaim[] | undefined {
  try {
    const { proofTargets } = Object(JSON.parse(tryReadText(file) ?? '')) as { proofTargets?: unknown };
    return claimsIn(proofTargets);
  } catch {
    // SyntaxError: whoever runs it says what is wrong with it.
    return undefined;
  }
}
