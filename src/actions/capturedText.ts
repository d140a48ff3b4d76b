// A long text of an action: its record in the journal is short, and all that was kept of it becomes a log of the package.
import type { Capture } from '../evidence/journal.js';

/** What the journal keeps of a text; a longer one is an artifact. */
export const maxRecordedBytes = 64_000;

/** A log is no picture of the product: it names no proof target, so that it cannot stand in for one. */
export function createLogCapture(file: string, label: string, body: Uint8Array): Capture {
  return { path: `logs/${file}`, type: 'log', category: 'evidence', label, mimeType: 'text/plain', body };
}

/** A run path as part of a file name. */
export function fileNameOf(runPath: string): string {
  return runPath.replace(/[^\w.-]/g, '-');
}
