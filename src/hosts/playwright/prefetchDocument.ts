// Documents that were looked into when the config was loaded, kept until the same process reads them for good.
import { readDocumentFile } from '../../check/readDocumentFile.js';
import { isLosslessText } from '../../document/decodeText.js';
import { type DocumentRead, type ReadLimits, readText } from '../../document/readDocument.js';
import { readLastChangeMs, tryReadText } from '../../system/files/files.js';

type PrefetchedText = { text: string; readAtMs: number };

const prefetchedTexts = new Map<string, PrefetchedText>();
const maxPrefetchedLength = 1_000_000;

/** A process that lists tests reads them at once; one that waited for somebody, as UI mode does, looks whether they changed. */
const freshMs = 2_000;
/** Clocks of file systems are coarse. */
const coarseMs = 1_000;

/** The text of a document; empty when it cannot be read, which is told by whoever reads it for good. */
export function prefetchText(file: string): string {
  const text = tryReadText(file) ?? '';
  if (text.length <= maxPrefetchedLength && file.endsWith('.json') && isLosslessText(text))
    prefetchedTexts.set(file, { text, readAtMs: Date.now() });
  return text;
}

/** What was read ahead is taken once: afterwards the file may have changed. */
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
