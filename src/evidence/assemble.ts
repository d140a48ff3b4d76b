// Goes through a journal once it is written, and makes the files of the package as it goes.
import { omitUndefined } from '../document/omitUndefined.js';
import type { FileDigest } from '../system/files/atomicFile.js';
import { resolveInside, sha256 } from '../system/files/files.js';
import { isArtifactPath } from './artifactPath.js';
import { treeChangesIn } from './commitText.js';
import { digestOf } from './digest.js';
import type { Artifact } from './models/journalLine.js';
import type { ArtifactManifest, Built, PackageParts } from './package.js';
import { type PackageSink, put, wholeOrNothing } from './packageSink.js';
import { writePretty } from './prettyText.js';
import { type Retold, retell } from './retell.js';
import { buildSummary, sealed } from './summary.js';
import type { Verdict } from './verdict.js';

export function assemble(parts: PackageParts, into: PackageSink): Built {
  return wholeOrNothing(into, (sink) => {
    const { recipe, documents = new Map() } = parts;
    const told = retell(parts, sink);
    const removed = new Set(told.judge.closing?.removed);
    const captured = told.captured.filter(({ path }) => !removed.has(path));
    const missing = captured.map((artifact) => take(artifact, parts, sink));
    const doubts = [told.problem, otherRecipe(parts, told), parts.hostFailure, ...missing].filter((doubt) => doubt !== undefined);
    const verdict = doubted(explained(told, parts.hostFailure), doubts);
    const files = new Map(told.files);
    if (recipe !== undefined)
      files.set('recipe.json', stillShown(parts) ?? put(sink, 'recipe.json', (write) => writePretty(recipe, write)));
    for (const [path, content] of documents) files.set(path, put(sink, path, content));
    const listed = (): Artifact[] => [...own(files, documents), ...captured];
    const { run, counts, times, issues, moreIssues, problem } = told;
    const { id, hostFailure } = parts;
    const treeChanges = treeChangesIn(told.judge.closing, parts);
    const said = buildSummary({ verdict, counts, times, run, id, recipe, hostFailure, treeChanges, issues, moreIssues });
    const page = told.review?.page({ summary: said, artifacts: listed(), attempt: run?.attempt ?? 0 });
    if (page !== undefined) files.set(reviewFile, put(sink, reviewFile, page));
    const summary = sealed(said, listed());
    files.set('summary.json', put(sink, 'summary.json', pretty(summary)));
    const manifest: ArtifactManifest = {
      ...{ version: 1, runStatus: verdict.status, ...(run?.runner ? { provenance: { runner: run.runner } } : {}) },
      artifacts: listed(),
    };
    put(sink, 'artifact-manifest.json', pretty(manifest));
    return { summary, manifest, ...omitUndefined({ problem }) };
  });
}

// What the host saw of a death explains what the journal could not say any more.
function explained({ judge }: Retold, hostFailure: string | undefined): Verdict {
  const verdict = judge.verdict();
  if (judge.closing || hostFailure === undefined) return verdict;
  // Nothing of the recipe ran at all: what it needs, a browser for one, was not there.
  const cause = judge.run ? verdict.cause_class : 'environment';
  return { ...verdict, ...omitUndefined({ cause_class: cause }), reason: `${verdict.reason}: ${hostFailure}` };
}

function doubted(verdict: Verdict, doubts: readonly string[]): Verdict {
  if (verdict.status !== 'pass' || doubts.length === 0) return verdict;
  return { ...verdict, status: 'unknown', cause_class: 'harness', reason: doubts.join('; ') };
}

function otherRecipe({ recipe }: PackageParts, { run }: Retold): string | undefined {
  if (recipe === undefined || !run?.recipe.digest || run.recipe.digest === digestOf(recipe)) return undefined;
  return 'recipe.json is not the recipe that ran';
}

function stillShown({ shown, artifact }: PackageParts): FileDigest | undefined {
  const found = shown && artifact('recipe.json', shown.sha256);
  return found && 'sha256' in found && found.sha256 === shown?.sha256 ? shown : undefined;
}

function take(artifact: Artifact, parts: PackageParts, sink: PackageSink): string | undefined {
  const { path } = artifact;
  const found = parts.artifact(path, artifact.sha256);
  if (resolveInside('/', path) === undefined) return `the artifact ${path} points outside of the package`;
  if (!found) return `the artifact ${path} is missing`;
  const digest = found instanceof Uint8Array ? sha256(found) : found.sha256;
  if (digest !== artifact.sha256) return `the artifact ${path} is not the one that was captured`;
  if (!isArtifactPath(path)) return `the artifact ${path} has the name of a file of the package`;
  if (found instanceof Uint8Array) put(sink, path, found);
  return undefined;
}

/** What a run that was refused has to say of it. */
export const refusedFile = 'findings.json';

/** The page for people. */
export const reviewFile = 'review.html';

type Described = readonly [path: string, type: string, label: string, category?: string];

const ownFiles: readonly Described[] = [
  ['recipe.json', 'recipe', 'Executed recipe'],
  ['summary.json', 'summary', 'Run summary'],
  ['trace.json', 'trace', 'Execution trace'],
  ['journal.jsonl', 'log', 'Journal'],
  ['issues.json', 'json', 'Issues', 'diagnostic'],
  [reviewFile, 'report', 'Review page'],
];

function own(files: ReadonlyMap<string, FileDigest>, documents: ReadonlyMap<string, unknown>): Artifact[] {
  const given = [...documents.keys()].map((path): Described => {
    if (path === refusedFile) return [path, 'log', 'Findings of a run that did not begin'];
    return [path, 'recipe', path === 'workflow.json' ? 'Normalized workflow' : 'Authored recipe'];
  });
  return [...ownFiles, ...given].flatMap(([path, type, label, category = 'system']) => {
    const digest = files.get(path);
    return digest ? { path, type, label, category, ...digest } : [];
  });
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
