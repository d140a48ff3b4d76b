// Caches the documents that this process reads to load the config, because it needs them again to list the tests.
import { readDocumentFile } from '../../check/readDocumentFile.js';
import { isLosslessText } from '../../document/decodeText.js';
import { type DocumentRead, type ReadLimits, readText } from '../../document/readDocument.js';
import { readLastChangeMs, tryReadText } from '../../system/files/files.js';

type PrefetchedText = { text: string; readAtMs: number };

const prefetchedTexts = new Map<string, PrefetchedText>();
const maxPrefetchedLength = 1_000_000;

/** A text that is older than this, as in UI mode, is used only if the file has not changed. */
const freshMs = 2_000;
/** Tolerance, because some file systems round the time of the last change. */
const coarseMs = 1_000;

/** Returns the text of a document, or an empty string when the file cannot be read: readPrefetched reports that. */
export function prefetchText(file: string): string {
  const text = tryReadText(file) ?? '';
  if (text.length <= maxPrefetchedLength && file.endsWith('.json') && isLosslessText(text))
    prefetchedTexts.set(file, { text, readAtMs: Date.now() });
  return text;
}

/** Uses a prefetched text only once, because the file may change afterwards. */
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
