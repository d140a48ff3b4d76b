// An evidence package of any runner, for programs: what its documents say, and what is wrong with them.
import { join } from 'node:path';
import type { Finding } from '../document/finding.js';
import { readPathKind } from '../system/files/files.js';
import { readLines } from '../system/files/readLines.js';
import { readJournal } from './journal.js';
import type { ArtifactManifestJson } from './models/artifactManifest.js';
import type { JournalLine } from './models/journalLine.js';
import type { SummaryJson } from './models/summary.js';
import type { TraceEntryJson } from './models/trace.js';
import { missing, openPart, readPart, readTrace } from './packageDocuments.js';
import type { Summary } from './summary.js';

export type ReadPackage = {
  recipe?: unknown;
  summary?: SummaryJson;
  trace?: readonly TraceEntryJson[];
  manifest?: ArtifactManifestJson;
  /** As far as its chain holds; empty for packages of other runners, which have none. */
  journal: JournalLine[];
  findings: Finding[];
};

/**
 * All of it in memory. A document that is missing or has the wrong shape is left out, and a finding says why;
 * whether it is true, `verifyPackage` tells.
 */
export function readPackage(dir: string): ReadPackage {
  if (readPathKind(dir) !== 'directory') return { journal: [], findings: [noDirectory(dir)] };
  const findings: Finding[] = [];
  const summary = readPart<SummaryJson>(dir, 'summary.json', findings);
  const manifest = readPart<ArtifactManifestJson>(dir, 'artifact-manifest.json', findings);
  const trace = readTrace(dir, findings);
  const recipe = openPart(dir, 'recipe.json', findings);
  const journal = journalIn(dir, findings);
  return {
    ...(recipe ? { recipe: recipe.value } : {}),
    ...(summary ? { summary: summary.value } : {}),
    ...(trace ? { trace: trace.entries } : {}),
    ...(manifest ? { manifest: manifest.value } : {}),
    ...{ journal, findings },
  };
}

/** The summary alone, of a package that is known to be ours: it is small, however long the run was. */
export function readSummary(dir: string): Summary {
  const findings: Finding[] = [];
  const summary = readPart<Summary>(dir, 'summary.json', findings);
  if (summary) return summary.value;
  const [{ code, message } = { code: 'artifact_package.invalid_summary', message: 'It is empty.' }] = findings;
  throw new Error(
    `${join(dir, 'summary.json')} cannot be read back (${code}): ${message} Check the disk, and run the recipe again.`,
  );
}

export function noDirectory(dir: string): Finding {
  const message = `There is no directory ${dir}.`;
  return missing(dir, 'document.not_found', { message, hint: 'Name the directory that a run wrote its package to.' });
}

function journalIn(dir: string, findings: Finding[]): JournalLine[] {
  const file = join(dir, 'journal.jsonl');
  if (readPathKind(file) !== 'file') return [];
  const { lines, problem } = readJournal(readLines(file));
  if (problem !== undefined) findings.push(brokenChain(file, lines.length, problem));
  return lines;
}

export function brokenChain(file: string, lines: number, problem: string): Finding {
  const message = `The chain of the journal breaks: ${problem}.`;
  const hint = 'The journal was changed or cut after the run wrote it: take it from the run again, or run the recipe again.';
  return { ...missing(file, 'package.broken_chain', { message, hint }), place: { file, line: lines + 1, column: 1 } };
}
