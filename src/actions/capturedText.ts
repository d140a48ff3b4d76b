// Long texts that actions capture: the journal has a short version, and the package has the whole text as a log.
import type { Capture } from '../evidence/journal.js';

/** The journal truncates longer texts. The whole text is then stored as an artifact. */
export const maxRecordedBytes = 64_000;

/** A log has no proof target: it does not show the app under test, and must not count as evidence for a claim about the UI. */
export function createLogCapture(file: string, label: string, body: Uint8Array): Capture {
  return { path: `logs/${file}`, type: 'log', category: 'evidence', label, mimeType: 'text/plain', body };
}

/** Turns a run path into a part of a file name. */
export function fileNameOf(runPath: string): string {
  return runPath.replace(/[^\w.-]/g, '-');
}
