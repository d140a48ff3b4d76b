// Prints a finding: its code and place (which terminals make a link), a code frame, the message and the hint.
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

const maxFrameWidth = 160;

// A document may be one line of megabytes, so only the part around the column is printed.
function clip(line: string, column: number): [visible: string, shift: number] {
  if (line.length <= maxFrameWidth) return [line, 0];
  const start = Math.max(0, Math.min(column - 1 - maxFrameWidth / 2, line.length - maxFrameWidth));
  const end = start + maxFrameWidth;
  return [`${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`, start > 0 ? start - 1 : 0];
}

/** Most strings are plain ASCII, and need no search for control characters. */
const plainAscii = /^[\x20-\x7e]*$/;

// A string from a document may contain commands for the terminal or the CI, or characters that reverse the text after them.
export function escapeControls(text: string): string {
  if (plainAscii.test(text) && !text.includes('::') && !text.includes('##')) return text;
  return (
    text
      .replace(/[^\P{C}\n\t]|[\u2028\u2029]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`)
      .replace(/^([^\S\n]*)::/gm, '$1\\::')
      // The older commands of GitHub, and the commands of Azure, work anywhere in a line.
      .replace(/##(?=\[|vso\[)/gi, '#\\#')
  );
}

/** Like `escapeControls`, but also joins the lines. For titles, which test runners print on one line. */
export function oneLine(text: string): string {
  return escapeControls(text.replace(/\s+/g, ' ').trim());
}
