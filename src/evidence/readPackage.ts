// An evidence package of any runner, for programs: what its documents say, and what is wrong with them.
import { join } from 'node:path';
import type { Finding } from '../document/finding.js';
import { fileSize, readPathKind } from '../system/files/files.js';
import { readLines } from '../system/files/readLines.js';
import { readJournal } from './journal.js';
import type { ArtifactManifestJson } from './models/artifactManifestModel.js';
import type { JournalLine } from './models/journalLine.js';
import type { SummaryJson } from './models/summaryModel.js';
import type { TraceEntryJson } from './models/traceModel.js';
import { fileFinding, openPackageFile, readPackageDocument, readTrace } from './packageDocuments.js';
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
  if (readPathKind(dir) !== 'directory') return { journal: [], findings: [noDirectoryFinding(dir)] };
  const findings: Finding[] = [];
  const summary = readPackageDocument<SummaryJson>(dir, 'summary.json', findings);
  const manifest = readPackageDocument<ArtifactManifestJson>(dir, 'artifact-manifest.json', findings);
  const trace = readTrace(dir, findings);
  const recipe = openPackageFile(dir, 'recipe.json', findings);
  const journal = readJournalIn(dir, findings);
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
  const summary = readPackageDocument<Summary>(dir, 'summary.json', findings);
  if (summary) return summary.value;
  const [{ code, message } = { code: 'artifact_package.invalid_summary', message: 'It is empty.' }] = findings;
  throw new Error(
    `${join(dir, 'summary.json')} cannot be read back (${code}): ${message} Check the disk, and run the recipe again.`,
  );
}

export function noDirectoryFinding(dir: string): Finding {
  const message = `There is no directory ${dir}.`;
  return fileFinding(dir, 'document.not_found', { message, hint: 'Name the directory that a run wrote its package to.' });
}

function readJournalIn(dir: string, findings: Finding[]): JournalLine[] {
  const file = join(dir, 'journal.jsonl');
  if (readPathKind(file) !== 'file') return [];
  const { lines, problem } = readJournal(readLines(file));
  if (problem !== undefined) findings.push(brokenChainFinding(file, lines.length, problem));
  return lines;
}

export function brokenChainFinding(file: string, lines: number, problem: string): Finding {
  const message = `The chain of the journal breaks: ${problem}.`;
  const hint = 'The journal was changed or cut after the run wrote it: take it from the run again, or run the recipe again.';
  return { ...fileFinding(file, 'package.broken_chain', { message, hint }), place: { file, line: lines + 1, column: 1 } };
}

// The node that a run failed of, from its package: the innermost comes first, as it ends first.

export type FirstFailure = {
  nodeId: string;
  intent?: string;
  error: string;
  /** Assertions that did not hold. */
  broken: readonly { held: boolean; [field: string]: unknown }[];
  artifacts: readonly string[];
};

/** A longer trace is not gone through for one line of an index. */
const maxTraceBytes = 64_000_000;

export function readFirstFailure(dir: string): FirstFailure | undefined {
  if ((fileSize(join(dir, 'trace.json')) ?? 0) > maxTraceBytes) return undefined;
  const findings: Finding[] = [];
  const entry = readTrace(dir, findings)?.entries.find(({ ok }) => !ok) as TraceEntryJson | undefined;
  if (!entry) return undefined;
  const { nodeId, id, intent, error, asserts = [], artifacts = [] } = entry;
  return {
    nodeId: nodeId ?? id ?? '',
    ...(intent === undefined ? {} : { intent }),
    error: error ?? 'It failed without a word.',
    broken: asserts.filter(({ held }) => !held),
    artifacts: artifacts.map((artifact) => (typeof artifact === 'string' ? artifact : artifact.path)),
  };
}

/** `isBroken`: it is not what its run left; otherwise nothing can tell, as with packages of other runners. */
export type TrustProblem = { isBroken: boolean; why: string };
