// Prints a finding: a line that terminals make a link, the code frame, the message and the hint.
import type { Finding, Place } from './finding.js';

export function printFinding(finding: Finding, text?: string): string {
  const { file, line, column } = finding.place;
  const where = finding.path ? `  ${finding.path}` : '';
  const lines = [`${finding.code}  ${file}:${line}:${column}${where}`];
  if (text !== undefined) lines.push(codeFrame(text, finding.place));
  lines.push(`  ${finding.message}`);
  if (finding.hint) lines.push(`  ${finding.hint}`);
  return escapeControls(lines.join('\n'));
}

function codeFrame(text: string, place: Place, contextLines = 1): string {
  const lines = text.split(/\r?\n/);
  const first = Math.max(1, place.line - contextLines);
  const last = Math.min(lines.length, place.line + contextLines);
  const width = String(last).length;
  const frame: string[] = [];
  for (let number = first; number <= last; number++) {
    const mark = number === place.line ? '>' : ' ';
    const [visible, shift] = clip(lines[number - 1] ?? '', place.column);
    frame.push(`${mark} ${String(number).padStart(width)} | ${visible}`);
    const before = visible.slice(0, place.column - 1 - shift).replace(/[^\t]/g, ' ');
    if (number === place.line) frame.push(`  ${' '.repeat(width)} | ${before.padEnd(place.column - 1 - shift)}^`);
  }
  return frame.join('\n');
}

const widest = 160;

// A document may be one line of megabytes, so only the part around the column is printed.
function clip(line: string, column: number): [visible: string, shift: number] {
  if (line.length <= widest) return [line, 0];
  const start = Math.max(0, Math.min(column - 1 - widest / 2, line.length - widest));
  const end = start + widest;
  return [`${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`, start > 0 ? start - 1 : 0];
}

/** Most text is plain, and needs no search for control characters. */
const plain = /^[\x20-\x7e]*$/;

// Text from a document may carry terminal commands, bidirectional overrides or CI workflow commands.
export function escapeControls(text: string): string {
  if (plain.test(text) && !text.includes('::') && !text.includes('##')) return text;
  return (
    text
      .replace(/[^\P{C}\n\t]|[\u2028\u2029]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`)
      .replace(/^([^\S\n]*)::/gm, '$1\\::')
      // GitHub's older commands and those of Azure take effect anywhere in a line.
      .replace(/##(?=\[|vso\[)/gi, '#\\#')
  );
}

/** Like `escapeControls`, on one line: for titles, which test runners print in a line of their own. */
export function oneLine(text: string): string {
  return escapeControls(text.replace(/\s+/g, ' ').trim());
}
