// Documents that were looked into when the config was loaded, kept until the same process reads them for good.
import { readFile } from '../../check/readFile.js';
import { type Read, type ReadLimits, readDocument } from '../../document/readDocument.js';
import { fileSize, readBytes } from '../../system/files.js';

const ahead = new Map<string, Buffer>();
const largest = 1_000_000;

/** The bytes of a document, as far as anybody wants to hold them twice. */
export function readAhead(file: string): Buffer {
  const bytes = readBytes(file);
  if (bytes.length <= largest) ahead.set(file, bytes);
  return bytes;
}

/** What was read ahead is taken once: afterwards the file may have changed. */
export function readNow(file: string, limits: Partial<ReadLimits> | undefined): Read {
  const bytes = ahead.get(file);
  ahead.delete(file);
  return bytes && bytes.length === fileSize(file) ? readDocument(file, bytes, limits) : readFile(file, limits);
}
