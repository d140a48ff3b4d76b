// The evidence package: what a reviewer reads instead of running anything. Built from the recipe and its journal, never from memory.
import { join, posix } from 'node:path';
import { present } from '../document/present.js';
import type { Status } from '../graph/plan.js';
import { insideOf, sha256, writeWhole } from '../system/files.js';
import { digestOf } from './digest.js';
import type { CauseClass } from './failure.js';
import { type Artifact, readJournal } from './journal.js';
import type { TraceEntry } from './trace.js';
import { type Judged, judge, type Proof, type Verdict } from './verdict.js';

export type Summary = {
  status: Status;
  reason: string;
  cause_class?: CauseClass;
  total: number;
  passed: number;
  failed: number;
  startedAt: string;
  endedAt: string;
  durationMs: number;
  proof: Proof[];
  interruptedAt?: string[];
  signal?: string;
  recipe: { id: string; digest: string; title?: string };
  host: { name: string; version: string };
  harness: { name: string; version: string; runner_protocol_version: 1; action_registry_version: 1 };
};

export type PackageParts = {
  /** The Recipe v1 document that ran; undefined when the test died before it could say. */
  recipe: unknown;
  id: string;
  journal: readonly string[];
  /** The bytes of an artifact the journal names, if they arrived. */
  artifact(path: string, sha256: string): Uint8Array | undefined;
  /** What the host says went wrong outside of the journal: a red test whose journal looks green is not green. */
  hostFailure?: string;
};

export type Package = {
  summary: Summary;
  trace: TraceEntry[];
  manifest: ArtifactManifest;
  files: Map<string, string | Uint8Array>;
};

export type ArtifactManifest = { version: 1; runStatus: Status; artifacts: Artifact[] };

export function buildPackage(parts: PackageParts): Package {
  const { lines, problem } = readJournal(parts.journal);
  const { verdict, entries, run, closing } = explain(judge(lines), parts.hostFailure);
  const captured = lines.flatMap((line) => (line.t === 'end' ? (line.artifacts ?? []) : []));
  const files = new Map<string, string | Uint8Array>();
  const doubts = [problem, parts.hostFailure, ...captured.map((artifact) => take(artifact, parts, files))].filter(
    (doubt) => doubt !== undefined,
  );
  const final = doubts.length === 0 ? verdict : doubted(verdict, doubts);
  const failed = entries.filter((entry) => !entry.ok).length;
  const { status, reason, cause_class, interruptedAt, signal, proof } = final;
  const summary: Summary = {
    status,
    reason,
    ...present({ cause_class }),
    ...{ total: entries.length, passed: entries.length - failed, failed },
    startedAt: lines[0]?.at ?? '',
    endedAt: lines.at(-1)?.at ?? '',
    durationMs: closing?.ms ?? 0,
    proof,
    ...present({ interruptedAt, signal }),
    recipe: {
      id: run?.recipe.id ?? parts.id,
      digest: parts.recipe === undefined ? '' : digestOf(parts.recipe),
      ...present({ title: run?.recipe.title }),
    },
    host: run?.host ?? { name: 'unknown', version: '' },
    harness: {
      name: run?.tool.name ?? '',
      version: run?.tool.version ?? '',
      runner_protocol_version: 1,
      action_registry_version: 1,
    },
  };
  if (parts.recipe !== undefined) files.set('recipe.json', pretty(parts.recipe));
  files.set('journal.jsonl', parts.journal.map((line) => `${line}\n`).join(''));
  files.set('trace.json', pretty(entries)).set('summary.json', pretty(summary));
  const manifest: ArtifactManifest = { version: 1, runStatus: status, artifacts: [...systemArtifacts(files), ...captured] };
  files.set('artifact-manifest.json', pretty(manifest));
  return { summary, trace: entries, manifest, files };
}

/** The manifest goes last: a directory that has one is whole. */
export function writePackage(dir: string, { files }: Package): void {
  for (const [path, content] of files) writeWhole(join(dir, path), content);
}

// What the host saw of a death goes to the nodes it caught in flight.
function explain(judged: Judged, hostFailure: string | undefined): Judged {
  if (judged.closing || hostFailure === undefined) return judged;
  const { verdict, entries, run } = judged;
  const told = entries.map((entry) =>
    entry.unfinished ? { ...entry, error: `The node did not finish: ${hostFailure}` } : entry,
  );
  // Nothing of the recipe ran at all: what it needs, a browser for one, was not there.
  const cause = run ? verdict.cause_class : 'environment';
  return {
    ...judged,
    entries: told,
    verdict: { ...verdict, ...present({ cause_class: cause }), reason: `${verdict.reason}: ${hostFailure}` },
  };
}

function take(artifact: Artifact, parts: PackageParts, files: Map<string, string | Uint8Array>): string | undefined {
  const bytes = parts.artifact(artifact.path, artifact.sha256);
  if (insideOf('/', artifact.path) === undefined) return `the artifact ${artifact.path} points outside of the package`;
  if (!bytes) return `the artifact ${artifact.path} is missing`;
  if (sha256(bytes) !== artifact.sha256) return `the artifact ${artifact.path} is not the one that was captured`;
  if (!isArtifactPath(artifact.path)) return `the artifact ${artifact.path} has the name of a file of the package`;
  files.set(artifact.path, bytes);
  return undefined;
}

const taken = new Set([
  'recipe.json',
  'summary.json',
  'trace.json',
  'journal.jsonl',
  'artifact-manifest.json',
  'workflow.json',
  '.recipewright',
]);

/** A path inside of the package, in its one spelling, that is not one of the package's own; file systems may ignore case. */
export function isArtifactPath(path: string): boolean {
  return insideOf('/', path) !== undefined && posix.normalize(path) === path && !taken.has(path.toLowerCase());
}

function doubted(verdict: Verdict, doubts: readonly string[]): Verdict {
  if (verdict.status !== 'pass') return verdict;
  return { ...verdict, status: 'unknown', cause_class: 'harness', reason: doubts.join('; ') };
}

const systemFiles: readonly (readonly [path: string, type: string, label: string])[] = [
  ['recipe.json', 'recipe', 'Executed recipe'],
  ['summary.json', 'summary', 'Run summary'],
  ['trace.json', 'trace', 'Execution trace'],
  ['journal.jsonl', 'log', 'Journal'],
];

function systemArtifacts(files: ReadonlyMap<string, string | Uint8Array>): Artifact[] {
  return systemFiles.flatMap(([path, type, label]) => {
    const content = files.get(path);
    if (content === undefined) return [];
    return { path, type, label, category: 'system', sha256: sha256(content), size: Buffer.byteLength(content) };
  });
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
