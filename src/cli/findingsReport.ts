// Prints the findings of several files, as text or as JSON.
import { isAbsolute, relative } from 'node:path';
import { type Finding, hasErrors } from '../document/finding.js';
import { oneLine, printFinding } from '../document/printFinding.js';
import { readBytesIfThere } from '../system/files/files.js';

export type CheckedFile = {
  file: string;
  dialect?: string | undefined;
  text: string;
  findings: readonly Finding[];
  /** Why the file was not checked. */
  unchecked?: string;
};

export function findingsToJson(files: readonly CheckedFile[]): unknown {
  return {
    files: files.map(({ file, dialect = null, findings, ...checked }) => ({
      file: relativeToCwd(file),
      dialect,
      status: toStatus({ findings, ...checked }),
      ...(checked.unchecked === undefined ? {} : { reason: checked.unchecked }),
      findings: findings.map((finding) => findingToJson(finding, file)),
    })),
  };
}

function toStatus({ findings, unchecked }: Pick<CheckedFile, 'findings' | 'unchecked'>): 'valid' | 'invalid' | 'unchecked' {
  if (unchecked !== undefined) return 'unchecked';
  return hasErrors(findings) ? 'invalid' : 'valid';
}

// A finding can be in another file, such as a flow catalog that the checked file uses.
function findingToJson({ code, severity, path, place, message, hint }: Finding, file: string): unknown {
  const elsewhere = place.file === file ? {} : { file: relativeToCwd(place.file) };
  return { code, severity, path, ...elsewhere, line: place.line, column: place.column, message, ...(hint ? { hint } : {}) };
}

/** Formats every finding with its code frame, then one line per file, then the totals. */
export function findingsToText(files: readonly CheckedFile[]): string {
  const frames = files.flatMap((checked) => codeFrames(checked));
  const lines = files.map((checked) => {
    const kind = checked.dialect === undefined ? '' : ` (${checked.dialect})`;
    return `${oneLine(relativeToCwd(checked.file))}: ${toStatus(checked)}${formatCounts(checked.findings)}${kind}`;
  });
  return [...frames.map((frame) => `${frame}\n`), ...lines, ...listReasons(files), formatTotals(files)].join('\n');
}

function listReasons(files: readonly CheckedFile[]): Set<string> {
  return new Set(files.flatMap(({ unchecked }) => (unchecked === undefined ? [] : [oneLine(unchecked)])));
}

function formatTotals(files: readonly CheckedFile[]): string {
  const count = (status: string): number => files.filter((checked) => toStatus(checked) === status).length;
  const unchecked = count('unchecked') > 0 ? `, ${count('unchecked')} unchecked` : '';
  return `${pluralize(files.length, 'file')}: ${count('valid')} valid, ${count('invalid')} invalid${unchecked}.`;
}

export function codeFrames({ file, text, findings }: CheckedFile): string[] {
  return findings.map((finding) => {
    const source = finding.place.file === file ? text : readBytesIfThere(finding.place.file)?.toString();
    const place = { ...finding.place, file: relativeToCwd(finding.place.file) };
    const frame = printFinding({ ...finding, place }, source || undefined);
    return finding.severity === 'error' ? frame : `${finding.severity}: ${frame}`;
  });
}

function formatCounts(findings: readonly Finding[]): string {
  const counts = (['error', 'warning', 'note'] as const).map(
    (severity) => [findings.filter((finding) => finding.severity === severity).length, severity] as const,
  );
  return counts
    .filter(([count]) => count > 0)
    .map(([count, severity]) => `, ${pluralize(count, severity)}`)
    .join('');
}

function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns the path relative to the current directory. Files outside that directory keep their absolute path. */
export function relativeToCwd(file: string): string {
  const path = relative(process.cwd(), file);
  return path === '' || path.startsWith('..') || isAbsolute(path) ? file : path;
}
