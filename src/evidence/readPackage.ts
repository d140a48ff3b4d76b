// Reads an evidence package of any runner. The result has the documents of the package and the findings about them.

import { join } from 'node:path';
import type { Finding } from '../document/finding.js';
import { omitUndefined } from '../document/omitUndefined.js';
import { fileSize, readPathKind } from '../system/files/files.js';
import { readLines } from '../system/files/readLines.js';
import { readJournal } from './journal.js';
import type { ArtifactManifestJson } from './models/artifactManifestModel.js';
import type { JournalLine } from './models/journalLine.js';
import type { SummaryJson } from './models/summaryModel.js';
import type { TraceEntryJson } from './models/traceModel.js';
import { fileFinding, openPackageFile, readPackageDocument, readTrace } from './readPackageDocuments.js';
import type { Summary } from './summary.js';

export type ReadPackage = {
  recipe?: unknown;
  summary?: SummaryJson;
  trace?: readonly TraceEntryJson[];
  manifest?: ArtifactManifestJson;
  /** The lines up to the place where the chain breaks. Empty for packages of other runners, which have no journal. */
  journal: JournalLine[];
  findings: Finding[];
};

/**
 * Reads the whole package into memory. A missing document, or one with the wrong shape, is left out and reported as a finding. Use
 * `verifyPackage` to check that the files are as the run wrote them.
 */
export function readPackage(dir: string): ReadPackage {
  if (readPathKind(dir) !== 'directory') return { journal: [], findings: [noDirectoryFinding(dir)] };
  const findings: Finding[] = [];
  const summary = readPackageDocument<SummaryJson>(dir, 'summary.json', findings);
  const manifest = readPackageDocument<ArtifactManifestJson>(dir, 'artifact-manifest.json', findings);
  const trace = readTrace(dir, findings);
  const recipe = openPackageFile(dir, 'recipe.json', findings);
  const journal = readJournalIn(dir, findings);
  return {
    ...omitUndefined({ recipe: recipe?.value, summary: summary?.value, trace: trace?.entries, manifest: manifest?.value }),
    journal,
    findings,
  };
}

/** Reads the summary of a package that recipewright wrote. */
export function readSummary(dir: string): Summary {
  const findings: Finding[] = [];
  const summary = readPackageDocument<Summary>(dir, 'summary.json', findings);
  if (summary) return summary.value;
  const [{ code, message } = { code: 'artifact_package.invalid_summary', message: 'The file is empty.' }] = findings;
  const file = join(dir, 'summary.json');
  throw new Error(`${file} cannot be read after it was written (${code}): ${message} Check the disk, and run the recipe again.`);
}

export function noDirectoryFinding(dir: string): Finding {
  const message = `There is no directory ${dir}.`;
  return fileFinding(dir, 'document.not_found', { message, hint: 'Pass the directory of a package.' });
}

function readJournalIn(dir: string, findings: Finding[]): JournalLine[] {
  const file = join(dir, 'journal.jsonl');
  if (readPathKind(file) !== 'file') return [];
  const { lines, problem } = readJournal(readLines(file));
  if (problem !== undefined) findings.push(brokenChainFinding(file, lines.length, problem));
  return lines;
}

export function brokenChainFinding(file: string, lines: number, problem: string): Finding {
  const message = `The chain of the journal is broken: ${problem}.`;
  const hint = 'The journal was changed or cut after the run. Copy the journal from the run again, or run the recipe again.';
  return { ...fileFinding(file, 'package.broken_chain', { message, hint }), place: { file, line: lines + 1, column: 1 } };
}

/** The first failed entry of a trace, which is the innermost one, because inner nodes end first. */
export type FirstFailure = {
  nodeId: string;
  intent?: string;
  error: string;
  /** The assertions that did not hold. */
  failedAsserts: readonly { held: boolean; [field: string]: unknown }[];
  artifacts: readonly string[];
};

/** A larger trace is not read, because an index needs only one line of it. */
const maxTraceBytes = 64_000_000;

export function readFirstFailure(dir: string): FirstFailure | undefined {
  if ((fileSize(join(dir, 'trace.json')) ?? 0) > maxTraceBytes) return undefined;
  const findings: Finding[] = [];
  const entry = readTrace(dir, findings)?.entries.find(({ ok }) => !ok) as TraceEntryJson | undefined;
  if (!entry) return undefined;
  const { nodeId, id, intent, error, asserts = [], artifacts = [] } = entry;
  return {
    nodeId: nodeId ?? id ?? '',
    ...omitUndefined({ intent }),
    error: error ?? 'The node failed without a message.',
    failedAsserts: asserts.filter(({ held }) => !held),
    artifacts: artifacts.map((artifact) => (typeof artifact === 'string' ? artifact : artifact.path)),
  };
}

/** The reason why a package cannot be trusted. `isBroken`: the package was changed. Otherwise it only cannot be verified. */
export type TrustProblem = { isBroken: boolean; why: string };
