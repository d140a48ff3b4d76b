// Errors as Vitest shows them: with the frame of the document.
import type { Place } from '../../document/finding.js';

// Vitest shows the first frame that lies in the project, and reads its line by the map of the module: there every line is its own.
export function pointAt(error: Error, { file, line, column }: Place, name: string): Error {
  error.stack = `${error.name}: ${error.message}\n    at ${name.replace(/[()]/g, ' ')} (${file}:${line}:${column})`;
  return error;
}
