// Finds the lines of a value in a document, from the line of its key to the line of its closing bracket.
import type { Place } from './finding.js';
import { closingQuote } from './outlineText.js';
import type { Document } from './readDocument.js';

/** `lastLine`: the line on which the value of `place` ends. */
export type LineRange = { place: Place; lastLine: number };

export function findLineRange({ place, text }: Document, pointer: string): LineRange {
  return { place: place(pointer), lastLine: findLastLine(text, place(pointer, 'value')) };
}

export function includesLine({ place, lastLine }: LineRange, line: number | undefined): line is number {
  return line !== undefined && place.line <= line && line <= lastLine;
}

/** Returns the line of the bracket that closes the bracket at `place`. */
function findLastLine(text: string, { line, column }: Place): number {
  let start = 0;
  for (let number = 1; number < line; number++) start = text.indexOf('\n', start) + 1;
  let depth = 0;
  for (let at = start + column - 1; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = closingQuote(text, at);
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (depth === 0) return line + text.slice(start, at).split('\n').length - 1;
  }
  return line;
}
