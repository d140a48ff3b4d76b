// The documents of a package as they are read from its directory: found, whole, and of the shape they should have.
import { join } from 'node:path';
import type { z } from 'zod';
import type { Finding } from '../document/finding.js';
import { type Document, readDocument, readLimits } from '../document/readDocument.js';
import { acceptsBy } from '../formats/classic/accepts.js';
import { readBounded } from '../system/files/readBounded.js';
import { artifactManifestModel } from './models/artifactManifest.js';
import { type Codes, modelFindings } from './models/modelFindings.js';
import { summaryModel } from './models/summary.js';
import { traceEnvelopeModel, traceListModel } from './models/trace.js';
import { manifestCodes, summaryCodes, traceCodes } from './packageCodes.js';
import { type PackageFile, packageFields } from './packageFields.js';
import type { ReadTrace } from './packageRules.js';

/** Traces hold outputs, so they may be larger than what people write. */
const limits = { ...readLimits, bytes: 256_000_000, stringBytes: 64_000_000 };

type Name = Exclude<PackageFile, 'trace.json'>;

const shapes: Readonly<Record<Name, Shape>> = {
  'artifact-manifest.json': { model: artifactManifestModel, codes: manifestCodes },
  'summary.json': { model: summaryModel, codes: summaryCodes },
};

export function readPart<T>(dir: string, name: Name, findings: Finding[]): { value: T; document: Document } | undefined {
  const document = openPart(dir, name, findings);
  return document && fits(name, { document, ...shapes[name] }, findings) ? { value: document.value as T, document } : undefined;
}

export function readTrace(dir: string, findings: Finding[]): ReadTrace | undefined {
  const document = openPart(dir, 'trace.json', findings);
  if (!document) return undefined;
  const { value } = document;
  const inEnvelope = !Array.isArray(value);
  const model = inEnvelope ? traceEnvelopeModel : traceListModel;
  if (!fits('trace.json', { document, model, codes: traceCodes }, findings)) return undefined;
  const entries = (inEnvelope ? (value as { entries: unknown }).entries : value) as ReadTrace['entries'];
  return { entries, document, at: inEnvelope ? '/entries' : '' };
}

type Shape = { model: z.ZodType; codes: Codes };

function fits(name: PackageFile, { document, model, codes }: Shape & { document: Document }, findings: Finding[]): boolean {
  const { findings: spelling, meant } = packageFields(name, document);
  findings.push(...spelling);
  const { value, place } = document;
  // A package is read back after every run, and to ask the model itself costs as much as the start of a program.
  if (acceptsBy(model)(value)) return true;
  const { success, error } = model.safeParse(value);
  if (success) return true;
  findings.push(...modelFindings({ value, error, codes, place }).filter(({ path }) => !meant.has(path)));
  return false;
}

export function openPart(dir: string, name: string, findings: Finding[]): Document | undefined {
  const file = join(dir, name);
  const read = readBounded(file, limits.bytes);
  if (!('bytes' in read)) {
    findings.push('missing' in read ? absent(file, name) : unreadable(file, Object.values(read).join()));
    return undefined;
  }
  const { document, findings: problems } = readDocument(file, read.bytes, limits);
  findings.push(...problems);
  return document;
}

function absent(file: string, name: string): Finding {
  const code = `artifact_package.${name === 'artifact-manifest.json' ? 'missing_manifest' : 'missing_required_file'}`;
  const severity = name === 'recipe.json' ? 'warning' : 'error';
  return missing(file, code, {
    message: `The package has no ${name}.`,
    severity,
    hint: hints[name] ?? 'Copy the whole directory.',
  });
}

function unreadable(file: string, why: string): Finding {
  const message = `It cannot be read as a file of at most ${limits.bytes} bytes: it is ${/^\d+$/.test(why) ? `${why} bytes long` : why}.`;
  return missing(file, 'artifact_package.unreadable_file', { message, hint: 'Copy the file itself to the package.' });
}

const hints: Readonly<Record<string, string>> = {
  'artifact-manifest.json': 'It is written last: a run that was cut short has none. Run the recipe again.',
  'recipe.json': 'Without the recipe that ran, its trace cannot be checked against it.',
  'recipe-resolution.json': 'A package of a modern recipe says there which recipes it called.',
};

type Said = Pick<Finding, 'message' | 'hint'> & { severity?: Finding['severity'] };

export function missing(file: string, code: string, { severity = 'error', ...said }: Said): Finding {
  return { code, severity, path: '', place: { file, line: 1, column: 1 }, ...said };
}
