// The evidence package: what a reviewer reads instead of running anything. Built from the recipe and its journal, never from memory.
import type { Status } from '../recipe/recipe.js';
import type { FileDigest } from '../system/files/atomicFile.js';
import type { Lines } from '../system/files/readLines.js';
import { assemble } from './assemble.js';
import type { Artifact, RunLine } from './models/journalLine.js';
import type { TraceEntryJson } from './models/trace.js';
import { type Content, directorySink, memorySink } from './packageSink.js';
import type { Said, Summary } from './summary.js';
import type { TraceEntry } from './trace.js';

export { isArtifactPath } from './artifactPath.js';
export type { Summary } from './summary.js';

export type PackageParts = {
  /** The Recipe v1 document that ran; undefined when the test died before it could say. */
  recipe: unknown;
  id: string;
  /** Its lines, which may be gone through twice. */
  journal: Lines;
  /** The journal and the artifacts lie in the directory already. */
  inPlace?: boolean;
  /** The recipe that was put there when the run began: it is not written again while it lies there as it was. */
  shown?: FileDigest | undefined;
  /** The bytes of an artifact the journal names, if they arrived; or what a file is that lies in its place already. */
  artifact(path: string, sha256: string): Uint8Array | FileDigest | undefined;
  /** What the host says went wrong outside of the journal: a red test whose journal looks green is not green. */
  hostFailure?: string;
  /** The tracked files that changed while the run went on, where the host looked: its journal need not know. */
  treeChanges?: readonly string[];
  /** `workflow.json`, the authored document as `source.*`, and `findings.json` of a run that was refused. */
  documents?: ReadonlyMap<string, Content>;
  /** Makes review.html of the recipe that ran; without it there is none. */
  review?: ((recipe: unknown) => PackageReview) | undefined;
};

/** Sees the entries of the trace one by one; nothing that it keeps grows with the run. */
export type PackageReview = {
  see(entry: TraceEntryJson): void;
  /** `attempt`: how often it was tried before. */
  page(facts: { summary: Said; artifacts: readonly Artifact[]; attempt: number }): Content;
};

export type ArtifactManifest = {
  version: 1;
  runStatus: Status;
  provenance?: { runner: NonNullable<RunLine['runner']> };
  artifacts: Artifact[];
};

/** `problem`: where the chain of the journal breaks. */
export type Built = { summary: Summary; manifest: ArtifactManifest; problem?: string };

/** Nothing grows with the run but the list of artifacts. The manifest goes last: a directory that has one is whole. */
export function writePackage(dir: string, parts: PackageParts): Built {
  return assemble(parts, directorySink(dir));
}

export type Package = PackageParts & Built & { trace: TraceEntry[]; files: Map<string, Uint8Array> };

/** The whole package in memory, for runs that are known to be short. */
export function buildPackage(parts: PackageParts): Package {
  const files = new Map<string, Uint8Array>();
  const built = assemble(parts, memorySink(files));
  const trace = JSON.parse(Buffer.from(files.get('trace.json') ?? []).toString()) as TraceEntry[] | { entries: TraceEntry[] };
  return { ...parts, ...built, files, trace: Array.isArray(trace) ? trace : trace.entries };
}
