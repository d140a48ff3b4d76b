// A manifest with its integrity hash, otherwise letter for letter as it was: another spelling of a number would be another hash.

import { closingQuote, wordAt } from '../../document/outlineText.js';
import { pointersIn } from '../../document/placesIn.js';
import { integrityHashes } from './integrity.js';
import { readManifest } from './manifest.js';

/** Undefined for a text that is no manifest. */
export function writeHash(text: string): string | undefined {
  const { manifest, written, given } = readManifest(text);
  if (!manifest || !written) return undefined;
  const hash = JSON.stringify(integrityHashes({ written, given }).H1);
  const root = text.indexOf('{');
  const at = pointersIn(text)('/integrity_hash', 'value');
  if (at !== root) return text.slice(0, at) + hash + text.slice(endOf(text, at));
  const space = /^\s*/.exec(text.slice(root + 1))?.[0] ?? '';
  return `${text.slice(0, root + 1)}${space}"integrity_hash": ${hash},${text.slice(root + 1)}`;
}

/** Of a text or of null, which is all it can be. */
function endOf(text: string, at: number): number {
  return text[at] === '"' ? closingQuote(text, at) + 1 : at + wordAt(text, at).length;
}
