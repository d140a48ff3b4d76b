// An error as it may be shown: what was thrown may quote what it was given.
import { RecipeError } from '../evidence/recipeError.js';
import type { Vault } from '../secrets/vault.js';

/** The same error when it holds no secret; else one without its cause, which would still hold it. */
export function maskedError(error: RecipeError, vault: Vault): RecipeError {
  if (vault.names.length === 0) return error;
  const told = [error.message, error.stack ?? '', ...causes(error)].join('\n');
  if (vault.mask(told) === told) return error;
  const masked = new RecipeError(error.code, error.kind, vault.mask(error.message), error.at);
  if (error.stack) masked.stack = vault.mask(error.stack);
  return masked;
}

function causes({ cause }: Error): string[] {
  if (!(cause instanceof Error)) return cause === undefined ? [] : [String(cause)];
  return [cause.message, cause.stack ?? '', ...causes(cause)];
}
