// Reads a file into a document, or returns a finding with the reason why that is impossible. Never throws, whatever the path names.

import type { Finding } from '../document/finding.js';
import { type DocumentRead, type ReadLimits, readDocument, readLimits, tooLargeFinding } from '../document/readDocument.js';
import { readMarkdown } from '../formats/template/readMarkdown.js';
import { type BoundedRead, readBounded } from '../system/files/readBounded.js';

export function readDocumentFile(file: string, limitOverrides: Partial<ReadLimits> = {}): DocumentRead {
  const limits = { ...readLimits, ...limitOverrides };
  const read = readBounded(file, limits.bytes);
  if (!('bytes' in read)) return { text: '', findings: [refusalFinding(file, read, limits)] };
  return /\.md$/i.test(file) ? readMarkdown(file, read.bytes) : readDocument(file, read.bytes, limits);
}

function refusalFinding(file: string, read: Exclude<BoundedRead, { bytes: Buffer }>, limits: ReadLimits): Finding {
  if ('size' in read) return tooLargeFinding(file, read.size, limits);
  if ('missing' in read) return notFoundFinding(file, read.missing);
  if ('kind' in read) {
    const hint = 'Pass the path of the document itself.';
    return fileFinding(file, { code: 'document.not_a_file', message: `The path names ${read.kind}, not a file.`, hint });
  }
  const reason = errorReasons.get(read.code);
  const message = `The file cannot be read: ${reason ? `${reason} (${read.code})` : read.code}.`;
  const hint = 'Check the path and its permissions: the user who runs recipewright must be able to read the file.';
  return fileFinding(file, { code: 'document.unreadable', message, hint });
}

function notFoundFinding(file: string, target: string): Finding {
  const message = target ? `The file is a link to ${JSON.stringify(target)}, which does not exist.` : 'There is no such file.';
  const hint = target
    ? 'Restore the target of the link, or replace the link.'
    : 'Check the spelling of the path and the directory it is relative to.';
  return fileFinding(file, { code: 'document.not_found', message, hint });
}

const errorReasons = new Map([
  ['EACCES', 'permission is denied'],
  ['EPERM', 'permission is denied'],
  ['ELOOP', 'its links form a cycle'],
  ['ENAMETOOLONG', 'the path is too long'],
  ['ERR_INVALID_ARG_VALUE', 'the path has a character that no path can have'],
  ['EMFILE', 'too many files are open'],
  ['EIO', 'the disk failed'],
]);

function fileFinding(file: string, details: Pick<Finding, 'code' | 'message' | 'hint'>): Finding {
  return { severity: 'error', path: '', place: { file, line: 1, column: 1 }, ...details };
}
