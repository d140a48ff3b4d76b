// Fields of a package in another spelling: what they say would be passed over, as more fields are allowed.
import type { Finding } from '../document/finding.js';
import { joinPointer } from '../document/jsonPointer.js';
import type { Document } from '../document/readDocument.js';
import { artifactEntryModel, artifactManifestModel } from './models/artifactManifest.js';
import { fieldCasing } from './models/fieldCasing.js';
import { summaryModel } from './models/summary.js';
import { traceEntryModel, traceEnvelopeModel } from './models/trace.js';

export type PackageFile = 'artifact-manifest.json' | 'summary.json' | 'trace.json';

type Shape = { fields: readonly string[]; list?: string; items?: readonly string[]; code: string };

const shapes: Readonly<Record<PackageFile, Shape>> = {
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

/** What is spelt otherwise, and the pointers of what was meant: those are not missing as well. */
export function packageFields(name: PackageFile, { value, place }: Document): { findings: Finding[]; meant: Set<string> } {
  const { fields, list, items = [], code } = shapes[name];
  const findings: Finding[] = [];
  const meant = new Set<string>();
  const look = (object: unknown, at: string, known: readonly string[]): void => {
    for (const field of Object.keys(isObject(object) ? object : {})) {
      const casing = fieldCasing(field, known);
      if (!casing) continue;
      const path = joinPointer(at, field);
      meant.add(joinPointer(at, casing.meant));
      findings.push({ code, severity: 'error', path, place: place(path), message: casing.message, hint: casing.hint });
    }
  };
  look(value, '', fields);
  const inside = Array.isArray(value) ? value : isObject(value) && list !== undefined ? value[list] : undefined;
  const base = Array.isArray(value) || list === undefined ? '' : `/${list}`;
  for (const [index, item] of (Array.isArray(inside) ? inside : []).entries()) look(item, joinPointer(base, index), items);
  return { findings, meant };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
