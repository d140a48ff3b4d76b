// An error as it may be shown: what was thrown may quote what it was given.

import type { Journal } from '../evidence/journal.js';
import { maskEntry } from '../evidence/maskEntry.js';
import { RecipeError } from '../evidence/recipeError.js';
import type { Vault } from '../secrets/vault.js';

/** The same error when it holds no secret; else one without its cause, which would still hold it. */
export function maskError(error: RecipeError, vault: Vault): RecipeError {
  if (vault.names.length === 0) return error;
  const text = [error.message, error.stack ?? '', ...causeTexts(error)].join('\n');
  if (vault.mask(text) === text) return error;
  const masked = new RecipeError(error.code, error.kind, vault.mask(error.message), error.at);
  if (error.stack) masked.stack = vault.mask(error.stack);
  return masked;
}

function causeTexts({ cause }: Error): string[] {
  if (!(cause instanceof Error)) return cause === undefined ? [] : [String(cause)];
  return [cause.message, cause.stack ?? '', ...causeTexts(cause)];
}

// The door of the journal: no line passes it with a secret in it.

export function maskJournal(journal: Journal, vault: Vault): Journal {
  if (vault.names.length === 0) return journal;
  return { ...journal, write: (entry) => journal.write(maskEntry(entry, vault)) };
}
