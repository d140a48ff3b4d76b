// Checks whether a directory is a complete and consistent evidence package of the classic or the modern dialect. The digests are
// checked by `verify`.

import { join, posix, resolve } from 'node:path';
import { didYouMean } from '../document/didYouMean.js';
import type { Finding } from '../document/finding.js';
import { joinPointer } from '../document/jsonPointer.js';
import type { Document } from '../document/readDocument.js';
import { worseStatus } from '../engine/plan.js';
import { isRealPathInside, readPathKind } from '../system/files/files.js';
import { readBounded } from '../system/files/readBounded.js';
import { type ArtifactManifestJson, artifactTypes } from './models/artifactManifestModel.js';
import { safePath } from './models/fields.js';
import type { SummaryJson } from './models/summaryModel.js';
import type { TraceEntryJson } from './models/traceModel.js';
import { noDirectoryFinding } from './readPackage.js';
import { openPackageFile, type ReadTrace, readPackageDocument, readTrace } from './readPackageDocuments.js';
import { indexRecipeNodes, type RecipeNodeIndex } from './recipeNodeIndex.js';

/** `withTrace: false` skips a trace that is too large to be read as a whole. */
export function checkPackage(dir: string, { withTrace = true }: { withTrace?: boolean } = {}): Finding[] {
  if (readPathKind(dir) !== 'directory') return [noDirectoryFinding(dir)];
  const findings: Finding[] = [];
  const manifest = readPackageDocument<ArtifactManifestJson>(dir, 'artifact-manifest.json', findings);
  const summary = readPackageDocument<SummaryJson>(dir, 'summary.json', findings);
  const trace = withTrace ? readTrace(dir, findings) : undefined;
  const recipe = readRecipe(dir, findings);
  if (manifest) checkArtifacts(dir, { ...manifest, recipe }, findings);
  if (trace && recipe) checkTraceNodes(trace, recipe, findings);
  checkCounts({ manifest, summary, trace }, findings);
  return findings;
}

function readRecipe(dir: string, findings: Finding[]): RecipeNodeIndex | undefined {
  const document = openPackageFile(dir, 'recipe.json', findings);
  if (!document) return undefined;
  const recipe = indexRecipeNodes(document.value);
  if (typeof recipe !== 'string') {
    if (!Object.hasOwn(document.value as object, 'validate')) openPackageFile(dir, 'recipe-resolution.json', findings);
    return recipe;
  }
  findings.push({
    code: 'artifact_package.invalid_recipe',
    severity: 'error',
    path: '',
    place: document.place(''),
    message: `recipe.json is not a recipe: ${recipe}.`,
    hint: 'Copy recipe.json from the output directory of the run again.',
  });
  return undefined;
}

type ReadDocument<T> = { value: T; document: Document };

type PackageDocuments = {
  manifest: ReadDocument<ArtifactManifestJson> | undefined;
  summary: ReadDocument<SummaryJson> | undefined;
  trace: ReadTrace | undefined;
};

/** Reports where the summary contradicts the trace or the manifest. */
function checkCounts({ manifest, summary, trace }: PackageDocuments, findings: Finding[]): void {
  if (!summary) return;
  const { value, document } = summary;
  const addFinding = (code: string, field: string, text: Pick<Finding, 'message' | 'hint'>): void => {
    const path = joinPointer('', field);
    findings.push({ code: `artifact_package.${code}`, severity: 'error', path, place: document.place(path), ...text });
  };
  if (trace) {
    const failed = trace.entries.filter((entry) => !entry.ok).length;
    const actualCounts = { total: trace.entries.length, passed: trace.entries.length - failed, failed };
    for (const [field, actual] of Object.entries(actualCounts)) {
      const stated = value[field];
      const message = `${JSON.stringify(field)} is ${stated}, but trace.json has ${actual}.`;
      if (stated !== undefined && stated !== actual) addFinding('count_mismatch', field, { message, hint: sameRun });
    }
    const contradiction = findContradiction(value, trace.entries);
    if (contradiction !== undefined)
      addFinding('status_mismatch', 'status', { message: `${describeStatus(value)}, but ${contradiction}.`, hint: sameRun });
  }
  const runStatus = manifest?.value.runStatus;
  const message = `${describeStatus(value)}, but artifact-manifest.json says ${JSON.stringify(runStatus)}.`;
  if (runStatus && runStatus !== value.status) addFinding('status_mismatch', 'status', { message, hint: sameRun });
}

const sameRun = 'The files of a package belong to one run and must not be edited. Copy all of them from the same run.';

function describeStatus({ status }: SummaryJson): string {
  return `The status is ${JSON.stringify(status)}`;
}

/** Describes how the trace contradicts the status. Returns undefined when they agree. */
function findContradiction(summary: SummaryJson, entries: readonly TraceEntryJson[]): string | undefined {
  const { status } = summary;
  const failed = entries.filter((entry) => !entry.ok).length;
  if (status === 'pass' && failed > 0 && !isCompatPass(summary))
    return `${failed} of ${entries.length} entries of trace.json failed`;
  if (status === 'pass' && entries.length === 0) return 'trace.json is empty, so no node ran';
  const endStatus = entries.findLast((entry) => entry.action === 'end' && !nodeIdOf(entry).includes('/'))?.status;
  if (endStatus !== undefined && worseStatus(endStatus, status) !== status)
    return `the run ended with ${JSON.stringify(endStatus)} in trace.json`;
  if (status === 'fail' && failed === 0 && endStatus !== 'fail' && !hasOtherFailure(summary, entries))
    return 'no entry of trace.json failed, and the run did not end with "fail" there';
  return undefined;
}

// A verdict by the rules of the format's reference runner may pass although nodes failed. `verify` compares it with the journal.
function isCompatPass({ verdicts }: SummaryJson): boolean {
  return verdicts?.compat === 'pass' && verdicts.honest !== 'pass';
}

// Without a failed entry, a run can still fail because of a tolerated failure, a refuted claim, or an error outside the nodes.
function hasOtherFailure(
  { error, cause_class, cause_counts, proof = [] }: SummaryJson,
  entries: readonly TraceEntryJson[],
): boolean {
  const hasCauses = Object.values(cause_counts ?? {}).some((count) => count > 0);
  const hasRefutedClaim = proof.some((claim) => claim.status === 'refuted');
  const hasFailedAssert = entries.some(({ asserts = [] }) => asserts.some(({ held }) => !held));
  return Boolean(error) || cause_class !== undefined || hasCauses || hasRefutedClaim || hasFailedAssert;
}

function nodeIdOf({ nodeId, id = '' }: TraceEntryJson): string {
  return nodeId ?? id;
}

/** Reports the entries of the trace that match no node of the recipe. */
function checkTraceNodes({ entries, document, entriesPath }: ReadTrace, recipe: RecipeNodeIndex, findings: Finding[]): void {
  for (const [index, entry] of entries.entries()) {
    const id = nodeIdOf(entry);
    const node = recipe.find(id);
    const addFinding = (code: string, field: string, message: string): void => {
      const severity = field === 'intent' ? 'warning' : 'error';
      const path = joinPointer(entriesPath, index, field);
      const hint = 'The trace belongs to another recipe. Copy both from the same run.';
      findings.push({ code: `artifact_package.${code}`, severity, path, place: document.place(path), message, hint });
    };
    if (node.kind === 'unknown') {
      const field = entry.nodeId === undefined ? 'id' : 'nodeId';
      addFinding('unknown_trace_node', field, `recipe.json has no node ${JSON.stringify(id)}.`);
    }
    if (node.kind !== 'node') continue;
    if (node.action !== entry.action) {
      const message = `The node ${id} ran ${JSON.stringify(entry.action)}, but its action in recipe.json is ${JSON.stringify(node.action)}.`;
      addFinding('trace_action_mismatch', 'action', message);
    }
    if (isOtherIntent(node.intent, entry.intent)) {
      const message = `The node ${id} has the intent ${JSON.stringify(entry.intent)}, but in recipe.json it is ${JSON.stringify(node.intent)}.`;
      addFinding('trace_intent_mismatch', 'intent', message);
    }
  }
}

// The trace has the intent with its references expanded, so only an intent without references can be compared.
function isOtherIntent(recipeIntent: unknown, traceIntent: string | undefined): boolean {
  if (typeof recipeIntent !== 'string' || traceIntent === undefined) return false;
  return !recipeIntent.includes('{{') && recipeIntent !== traceIntent;
}

type ManifestDocument = { value: ArtifactManifestJson; document: Document; recipe: RecipeNodeIndex | undefined };
type ArtifactJson = ArtifactManifestJson['artifacts'][number];
type Problem = Omit<Finding, 'place' | 'path'>;

/** Reports artifacts of the manifest that the package does not have, or whose type, node or claim is unknown. */
function checkArtifacts(dir: string, { value, document, recipe }: ManifestDocument, findings: Finding[]): void {
  const seen = new Set<string>();
  for (const [index, artifact] of value.artifacts.entries()) {
    const addFinding = (fields: readonly (string | number)[], problem: Problem | undefined): void => {
      const path = joinPointer('/artifacts', index, ...fields);
      if (problem) findings.push({ ...problem, path, place: document.place(path) });
    };
    addFinding(['path'], pathProblem(dir, artifact) ?? duplicateProblem(artifact.path, seen));
    addFinding(['type'], typeProblem(artifact.type));
    if (typeof artifact.nodeId === 'string' && recipe?.find(artifact.nodeId).kind === 'unknown')
      addFinding(['nodeId'], unknownNodeProblem(artifact.nodeId));
    addFinding(['proofTarget'], claimProblem(artifact.proofTarget, recipe));
    for (const [claimIndex, claim] of (artifact.covers ?? []).entries()) {
      addFinding(['covers', claimIndex], claimProblem(claim, recipe));
    }
  }
}

function pathProblem(dir: string, { path, type }: ArtifactJson): Problem | undefined {
  const quotedPath = JSON.stringify(path);
  const unsafe: Problem = {
    code: 'artifact_manifest.unsafe_path',
    severity: 'error',
    message: `The artifact path ${quotedPath} is outside the package.`,
    hint: 'Use a path relative to the package, without a leading slash, a drive letter or "..".',
  };
  if (!safePath.test(path) || resolve(dir, path) === resolve(dir)) return unsafe;
  const file = join(dir, path);
  // With a limit of 0 bytes, the content is read only from an empty file.
  const read = readBounded(file, 0);
  if ('missing' in read || 'code' in read) {
    const message = `The artifact ${quotedPath} ${'code' in read ? `cannot be read (${read.code})` : 'is not in the package'}.`;
    const hint = 'Copy the file to the package, or remove the entry from the manifest.';
    return { code: 'artifact_manifest.missing_file', severity: 'error', message, hint };
  }
  if (!isRealPathInside(dir, file)) return unsafe;
  if ('kind' in read) {
    const message = `The artifact ${quotedPath} is ${read.kind}, not a file.`;
    return { code: 'artifact_manifest.not_a_file', severity: 'error', message, hint: 'List each file by its own path.' };
  }
  return 'bytes' in read && isMedia(type) ? emptyMediaProblem(quotedPath, type) : undefined;
}

function isMedia(type: string): boolean {
  return type === 'screenshot' || type === 'video';
}

function emptyMediaProblem(quotedPath: string, type: string): Problem {
  const message = `The ${type} ${quotedPath} is empty.`;
  const hint = 'Run the recipe again, or remove the entry from the manifest.';
  return { code: 'artifact_manifest.empty_file', severity: 'error', message, hint };
}

function duplicateProblem(path: string, seen: Set<string>): Problem | undefined {
  const normalized = posix.normalize(path);
  const isNew = !seen.has(normalized);
  seen.add(normalized);
  if (isNew) return undefined;
  const message = `The artifact ${JSON.stringify(path)} is listed more than once.`;
  const hint = 'List the artifact once. If it supports several claims, name all of them in "covers".';
  return { code: 'artifact_manifest.duplicate_path', severity: 'warning', message, hint };
}

function claimProblem(claim: string | null | undefined, recipe: RecipeNodeIndex | undefined): Problem | undefined {
  if (typeof claim !== 'string' || !recipe?.claims || recipe.claims.has(claim)) return undefined;
  const message = `The artifact is for the claim ${JSON.stringify(claim)}, which recipe.json does not declare.`;
  const hint = didYouMean(claim, [...recipe.claims]);
  return { code: 'artifact_manifest.undeclared_proof_target', severity: 'warning', message, hint };
}

function typeProblem(type: string): Problem | undefined {
  if (artifactTypes.some((known) => known === type)) return undefined;
  const message = `The artifact type ${JSON.stringify(type)} is not a type of the protocol.`;
  return {
    code: 'artifact_manifest.unknown_type',
    severity: 'warning',
    message,
    hint: `Known types: ${artifactTypes.join(', ')}.`,
  };
}

function unknownNodeProblem(id: string): Problem {
  const message = `The artifact names the node ${JSON.stringify(id)}, which recipe.json does not have.`;
  const hint = 'Name the node that captured the artifact, or remove "nodeId".';
  return { code: 'artifact_manifest.unknown_node', severity: 'warning', message, hint };
}
