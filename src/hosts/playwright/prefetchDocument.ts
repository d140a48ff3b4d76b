// Keeps the texts that were read when the config was loaded, so that the same process need not read them again to list the tests.
import { readDocumentFile } from '../../check/readDocumentFile.js';
import { isLosslessText } from '../../document/decodeText.js';
import { type DocumentRead, type ReadLimits, readText } from '../../document/readDocument.js';
import { readLastChangeMs, tryReadText } from '../../system/files/files.js';

type PrefetchedText = { text: string; readAtMs: number };

const prefetchedTexts = new Map<string, PrefetchedText>();
const maxPrefetchedLength = 1_000_000;

/** A text that is read later than this, as in UI mode, is used only if the file has not changed. */
const freshMs = 2_000;
/** File systems have coarse clocks. */
const coarseMs = 1_000;

/** The text of a document; empty when it cannot be read, which readPrefetched reports. */
export function prefetchText(file: string): string {
  const text = tryReadText(file) ?? '';
  if (text.length <= maxPrefetchedLength && file.endsWith('.json') && isLosslessText(text))
    prefetchedTexts.set(file, { text, readAtMs: Date.now() });
  return text;
}

/** Uses a prefetched text once: afterwards the file may have changed. */
export function readPrefetched(file: string, limits: Partial<ReadLimits> | undefined): DocumentRead {
  const prefetchedText = prefetchedTexts.get(file);
  prefetchedTexts.delete(file);
  return prefetchedText && isUnchanged(file, prefetchedText.readAtMs)
    ? readText(file, prefetchedText.text, limits)
    : readDocumentFile(file, limits);
}

function isUnchanged(file: string, since: number): boolean {
  return Date.now() - since < freshMs || readLastChangeMs(file) < since - coarseMs;
}
