// Masks secrets in errors and in the journal. A thrown error may quote the values that an action received.

import type { Journal } from '../evidence/journal.js';
import { maskEntry } from '../evidence/maskEntry.js';
import { RecipeError } from '../evidence/recipeError.js';
import type { Vault } from '../secrets/vault.js';

/** Returns the error itself when it contains no secret. Otherwise returns a masked copy without the cause, which may contain the secret. */
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

/** Returns a journal that masks the secrets in every line before it writes the line. */
export function maskJournal(journal: Journal, vault: Vault): Journal {
  if (vault.names.length === 0) return journal;
  return { ...journal, write: (entry) => journal.write(maskEntry(entry, vault)) };
}
