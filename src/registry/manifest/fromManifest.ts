// An action manifest as the vocabulary recipes are checked against, and what is wrong with it.
import type { z } from 'zod';
import type { Declaration } from '../../actions/action.js';
import { official } from '../../actions/vocabulary.js';
import type { Finding, Place } from '../../document/finding.js';
import { joinPointer } from '../../document/pointer.js';
import { modelFindings } from '../../evidence/models/modelFindings.js';
import { ours } from '../registry.js';
import { customAction } from './customAction.js';
import { extendedAction } from './extendedAction.js';
import { fieldSpelling } from './fieldSpelling.js';
import { classicCodes, modernCodes } from './manifestCodes.js';
import { checkClassic, checkModern, type Report } from './manifestRules.js';
import {
  type ClassicManifest,
  type CustomAction,
  classicManifestModel,
  type ModernManifest,
  modernManifestModel,
} from './model.js';

export type ManifestVocabulary = {
  vocabulary: ReadonlyMap<string, Declaration>;
  preconditions: ReadonlySet<string>;
  operators: ReadonlySet<string>;
  stateRefs: ReadonlySet<string>;
  findings: Finding[];
};

const nowhere = (): Place => ({ file: 'action-manifest.json', line: 1, column: 1 });

/** `place` says where a pointer of the manifest was written, for those who read it from a file. */
export function fromManifest(json: unknown, place: (pointer: string) => Place = nowhere): ManifestVocabulary {
  const isModern = typeof json === 'object' && json !== null && 'actions' in json;
  return isModern ? fromModern(json, place) : fromClassic(json, place);
}

function fromClassic(json: unknown, place: (pointer: string) => Place): ManifestVocabulary {
  const { findings, report } = collect(place);
  const meant = fieldSpelling(json, report);
  const parsed = parse(classicManifestModel, json, { codes: classicCodes, place });
  // A field that stands there in another spelling is not missing as well.
  const refused = parsed.findings.filter(({ path }) => !meant.has(path.slice(1)));
  if (!parsed.data) return { ...nothing(), findings: [...findings, ...refused] };
  const manifest: ClassicManifest = parsed.data;
  checkClassic(manifest, report);
  const metadata = new Map(Object.entries(manifest.action_metadata ?? {}));
  const own = manifest.supported_official_actions.map((name) => ({
    ...{ name, schema: metadata.get(name)?.schema, path: joinPointer('/action_metadata', name) },
  }));
  const custom = (manifest.custom_actions ?? []).map((entry, index) => ({ entry, path: joinPointer('/custom_actions', index) }));
  return {
    vocabulary: vocabularyOf(own, custom, report),
    preconditions: new Set((manifest.pre_conditions ?? []).map(({ id }) => id)),
    operators: new Set((manifest.custom_assertion_operators ?? []).map(({ name }) => name)),
    stateRefs: new Set((manifest.state_refs ?? []).flatMap(({ name, ref }) => name ?? ref ?? [])),
    findings,
  };
}

function fromModern(json: unknown, place: (pointer: string) => Place): ManifestVocabulary {
  const parsed = parse(modernManifestModel, json, { codes: modernCodes, place });
  if (!parsed.data) return { ...nothing(), findings: parsed.findings };
  const manifest: ModernManifest = parsed.data;
  const { findings, report } = collect(place);
  checkModern(manifest, report);
  const all = Object.entries(manifest.actions).map(([name, action]) => ({
    name,
    ...action,
    path: joinPointer('/actions', name),
  }));
  const custom = all
    .filter(({ name }) => !official.has(name))
    .map(({ name, description, schema, examples, path }) => ({
      entry: { name, description, schema, examples: examples.map((node) => ({ node })) },
      path,
    }));
  return { ...nothing(), vocabulary: vocabularyOf(all, custom, report), findings };
}

type Own = { name: string; schema?: CustomAction['schema']; path: string };

function vocabularyOf(
  own: readonly Own[],
  custom: readonly { entry: CustomAction; path: string }[],
  report: Report,
): Map<string, Declaration> {
  const vocabulary = new Map<string, Declaration>();
  const add = (name: string, path: string, { declaration, invalid }: { declaration: Declaration; invalid?: string }): void => {
    vocabulary.set(name, declaration);
    if (invalid === undefined) return;
    const message = `The schema of ${name} is wrong: ${invalid}.`;
    const hint = 'Write a JSON Schema of the fields: { "type": "object", "properties": { … } }.';
    report({ code: 'action_manifest.invalid_schema', path: joinPointer(path, 'schema'), message, hint });
  };
  for (const { entry, path } of custom) {
    const known = ours.find(({ name }) => name === entry.name);
    add(entry.name, path, { ...customAction(entry), ...(known ? { declaration: known } : {}) });
  }
  for (const { name, schema, path } of own) {
    const declared = official.get(name);
    if (declared) add(name, path, extendedAction(declared, schema));
  }
  return vocabulary;
}

type Reading = Pick<Parameters<typeof modelFindings>[0], 'codes' | 'place'>;

function parse<T extends z.ZodType>(model: T, value: unknown, reading: Reading): { data?: z.output<T>; findings: Finding[] } {
  const { success, data, error } = model.safeParse(value);
  return success ? { data, findings: [] } : { findings: modelFindings({ value, error, ...reading }) };
}

function collect(place: (pointer: string) => Place): { findings: Finding[]; report: Report } {
  const findings: Finding[] = [];
  return { findings, report: (finding) => findings.push({ severity: 'error', ...finding, place: place(finding.path) }) };
}

function nothing(): Omit<ManifestVocabulary, 'findings'> {
  return { vocabulary: new Map(), preconditions: new Set(), operators: new Set(), stateRefs: new Set() };
}
