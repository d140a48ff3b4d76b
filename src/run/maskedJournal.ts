// The door of the journal: no line passes it with a secret in it.
import type { Journal } from '../evidence/journal.js';
import { maskEntry } from '../evidence/maskEntry.js';
import type { Vault } from '../secrets/vault.js';

export function maskedJournal(journal: Journal, vault: Vault): Journal {
  if (vault.names.length === 0) return journal;
  return { ...journal, write: (entry, mayWait) => journal.write(maskEntry(entry, vault), mayWait) };
}
