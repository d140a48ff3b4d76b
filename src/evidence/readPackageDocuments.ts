// Reads the documents of a package, and checks their shape. Findings have the codes of the protocol's reference implementation.

import { join } from 'node:path';
import type { z } from 'zod';
import type { Finding } from '../document/finding.js';
import { joinPointer } from '../document/jsonPointer.js';
import { type Document, readDocument, readLimits } from '../document/readDocument.js';
import { type BoundedRead, readBounded } from '../system/files/readBounded.js';
import { artifactEntryModel, artifactManifestModel } from './models/artifactManifestModel.js';
import { type FindingCodes, findFieldCasing, toModelFindings } from './models/modelFindings.js';
import { summaryModel } from './models/summaryModel.js';
import { type TraceEntryJson, traceEntryModel, traceEnvelopeModel, traceListModel } from './models/traceModel.js';

const manifestCodes: FindingCodes = [
  [/^version/, 'artifact_manifest.invalid_version'],
  [/^runStatus/, 'artifact_manifest.invalid_run_status'],
  [/^provenance$/, 'artifact_manifest.invalid_provenance'],
  [/^provenance\.runner$/, 'artifact_manifest.invalid_runner_provenance'],
  [/^provenance\.runner\./, 'artifact_manifest.invalid_runner_provenance_field'],
  [/^artifacts$/, 'artifact_manifest.invalid_artifacts'],
  [/^artifacts\.\d+$/, 'artifact_manifest.invalid_artifact'],
  [/^artifacts\.\d+\.path/, 'artifact_manifest.invalid_path'],
  [/^artifacts\.\d+\.type/, 'artifact_manifest.invalid_type'],
  [/^artifacts\.\d+\.covers/, 'artifact_manifest.invalid_covers'],
  [/^artifacts\.\d+\.record$/, 'artifact_manifest.invalid_record'],
  [/^artifacts\.\d+\.maxFps/, 'artifact_manifest.invalid_max_fps'],
  [/^artifacts\.\d+\.recorder$/, 'artifact_manifest.invalid_recorder'],
  [/^artifacts\.\d+\.recorder\.target$/, 'artifact_manifest.invalid_recorder_target'],
  [/^artifacts\.\d+\.recorder\.target\./, 'artifact_manifest.invalid_recorder_target_field'],
  [/^artifacts\.\d+\.recorder\./, 'artifact_manifest.invalid_recorder_field'],
  [/^artifacts\.\d+\./, 'artifact_manifest.invalid_optional_field'],
  [/^/, 'artifact_manifest.invalid_document'],
];

const summaryCodes: FindingCodes = [[/^/, 'artifact_package.invalid_summary']];

const traceCodes: FindingCodes = [
  [
    /^(entries\.)?\d+\.(nodeId|id)$/,
    'artifact_package.invalid_trace_node',
    'Add the id of the node in recipe.json: "nodeId": "…".',
  ],
  [/^(entries\.)?\d+(\.|$)/, 'artifact_package.invalid_trace_entry'],
  [/^/, 'artifact_package.invalid_trace'],
];

type PackageFile = 'artifact-manifest.json' | 'summary.json' | 'trace.json';

type FieldShape = { fields: readonly string[]; list?: string; items?: readonly string[]; code: string };

const fieldShapes: Readonly<Record<PackageFile, FieldShape>> = {
  'artifact-manifest.json': {
    fields: Object.keys(artifactManifestModel.shape),
    list: 'artifacts',
    items: Object.keys(artifactEntryModel.shape),
    code: 'artifact_manifest.field_casing',
  },
  'summary.json': { fields: Object.keys(summaryModel.shape), code: 'artifact_package.field_casing' },
  'trace.json': {
    fields: Object.keys(traceEnvelopeModel.shape),
    list: 'entries',
    items: Object.keys(traceEntryModel.shape),
    code: 'artifact_package.field_casing',
  },
};

/**
 * Finds fields with the wrong casing, such as `run_status`. The models would ignore them as additional fields. `correctPaths` are the
 * pointers of the fields with the right casing, so that the caller does not also report those as missing.
 */
function checkFieldCasing(name: PackageFile, { value, place }: Document): { findings: Finding[]; correctPaths: Set<string> } {
  const { fields, list, items = [], code } = fieldShapes[name];
  const findings: Finding[] = [];
  const correctPaths = new Set<string>();
  const checkFields = (object: unknown, pointer: string, known: readonly string[]): void => {
    for (const field of Object.keys(isObject(object) ? object : {})) {
      const casing = findFieldCasing(field, known);
      if (!casing) continue;
      const path = joinPointer(pointer, field);
      correctPaths.add(joinPointer(pointer, casing.correctName));
      findings.push({ code, severity: 'error', path, place: place(path), message: casing.message, hint: casing.hint });
    }
  };
  checkFields(value, '', fields);
  const isList = Array.isArray(value);
  const listItems = isList || list === undefined ? value : isObject(value) ? value[list] : undefined;
  const base = isList || list === undefined ? '' : `/${list}`;
  if (Array.isArray(listItems)) {
    for (const [index, item] of listItems.entries()) checkFields(item, joinPointer(base, index), items);
  }
  return { findings, correctPaths };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A trace contains the outputs of nodes, so it may be larger than a document that a person writes. */
const packageReadLimits = { ...readLimits, bytes: 256_000_000, stringBytes: 64_000_000 };

/** Returns the JSON value of a file, or undefined when the file cannot be read as JSON. */
export function readJson(file: string): unknown {
  const read = readBounded(file, packageReadLimits.bytes);
  if (!('bytes' in read)) return undefined;
  try {
    return JSON.parse(read.bytes.toString()) as unknown;
  } catch {
    // SyntaxError: `checkPackage` reports it.
    return undefined;
  }
}

type DocumentName = Exclude<PackageFile, 'trace.json'>;

const documentShapes: Readonly<Record<DocumentName, DocumentShape>> = {
  'artifact-manifest.json': { model: artifactManifestModel, codes: manifestCodes },
  'summary.json': { model: summaryModel, codes: summaryCodes },
};

export function readPackageDocument<T>(
  dir: string,
  name: DocumentName,
  findings: Finding[],
): { value: T; document: Document } | undefined {
  const document = openPackageFile(dir, name, findings);
  return document && checkShape(name, { document, ...documentShapes[name] }, findings)
    ? { value: document.value as T, document }
    : undefined;
}

/** `entriesPath`: the JSON pointer of the list of entries. */
export type ReadTrace = { entries: readonly TraceEntryJson[]; document: Document; entriesPath: string };

export function readTrace(dir: string, findings: Finding[]): ReadTrace | undefined {
  const document = openPackageFile(dir, 'trace.json', findings);
  if (!document) return undefined;
  const { value } = document;
  const isEnvelope = !Array.isArray(value);
  const model = isEnvelope ? traceEnvelopeModel : traceListModel;
  if (!checkShape('trace.json', { document, model, codes: traceCodes }, findings)) return undefined;
  const entries = (isEnvelope ? (value as { entries: unknown }).entries : value) as ReadTrace['entries'];
  return { entries, document, entriesPath: isEnvelope ? '/entries' : '' };
}

type DocumentShape = { model: z.ZodType; codes: FindingCodes };

function checkShape(
  name: PackageFile,
  { document, model, codes }: DocumentShape & { document: Document },
  findings: Finding[],
): boolean {
  const { findings: casingFindings, correctPaths } = checkFieldCasing(name, document);
  findings.push(...casingFindings);
  const { value, place } = document;
  const { success, error } = model.safeParse(value);
  if (success) return true;
  findings.push(...toModelFindings({ value, error, codes, place }).filter(({ path }) => !correctPaths.has(path)));
  return false;
}

export function openPackageFile(dir: string, name: string, findings: Finding[]): Document | undefined {
  const file = join(dir, name);
  const read = readBounded(file, packageReadLimits.bytes);
  if (!('bytes' in read)) {
    findings.push('missing' in read ? absentFile(file, name) : unreadableFile(file, name, describeRefusal(read)));
    return undefined;
  }
  const { document, findings: problems } = readDocument(file, read.bytes, packageReadLimits);
  findings.push(...problems);
  return document;
}

function absentFile(file: string, name: string): Finding {
  const code = `artifact_package.${name === 'artifact-manifest.json' ? 'missing_manifest' : 'missing_required_file'}`;
  const severity = name === 'recipe.json' ? 'warning' : 'error';
  return fileFinding(file, code, {
    message: `The package has no ${name}.`,
    severity,
    hint: hints[name] ?? 'Copy the whole directory of the package.',
  });
}

type RefusedRead = Exclude<BoundedRead, { bytes: Buffer } | { missing: string }>;

function describeRefusal(read: RefusedRead): string {
  if ('code' in read) return `reading it failed with ${read.code}`;
  return 'kind' in read ? `it is ${read.kind}, not a file` : `it has ${read.size} bytes, more than ${packageReadLimits.bytes}`;
}

function unreadableFile(file: string, name: string, reason: string): Finding {
  const message = `${name} cannot be read: ${reason}.`;
  const hint = `Copy ${name} from the output directory of the run again.`;
  return fileFinding(file, 'artifact_package.unreadable_file', { message, hint });
}

const hints: Readonly<Record<string, string>> = {
  'artifact-manifest.json': 'A run writes this file last, so a run that was cut short has none. Run the recipe again.',
  'recipe.json': 'Copy recipe.json from the run. The trace cannot be checked without the recipe.',
  'recipe-resolution.json': 'Copy this file from the run. It lists the recipes that a modern recipe called.',
};

type FindingText = Pick<Finding, 'message' | 'hint'> & { severity?: Finding['severity'] };

/** Creates a finding about a file as a whole. */
export function fileFinding(file: string, code: string, { severity = 'error', ...text }: FindingText): Finding {
  return { code, severity, path: '', place: { file, line: 1, column: 1 }, ...text };
}
