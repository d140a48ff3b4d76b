// An action manifest as the vocabulary recipes are checked against, and what is wrong with it.
import type { z } from 'zod';
import type { Finding, Place } from '../../document/finding.js';
import { joinPointer } from '../../document/pointer.js';
import { modelFindings } from '../../evidence/models/modelFindings.js';
import type { Declaration } from '../action.js';
import { ours } from '../registry.js';
import { official } from '../vocabulary.js';
import { customAction } from './customAction.js';
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
  const parsed = parse(classicManifestModel, json, { codes: classicCodes, place });
  if (!parsed.data) return { ...nothing(), findings: parsed.findings };
  const manifest: ClassicManifest = parsed.data;
  const { findings, report } = collect(place);
  checkClassic(manifest, report);
  const custom = (manifest.custom_actions ?? []).map((entry, index) => ({ entry, path: joinPointer('/custom_actions', index) }));
  return {
    vocabulary: vocabularyOf(manifest.supported_official_actions, custom, report),
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
  const custom = Object.entries(manifest.actions)
    .filter(([name]) => !official.has(name))
    .map(([name, { description, schema, examples }]) => ({
      entry: { name, description, schema, examples: examples.map((node) => ({ node })) },
      path: joinPointer('/actions', name),
    }));
  return { ...nothing(), vocabulary: vocabularyOf(Object.keys(manifest.actions), custom, report), findings };
}

function vocabularyOf(
  names: readonly string[],
  custom: readonly { entry: CustomAction; path: string }[],
  report: Report,
): Map<string, Declaration> {
  const vocabulary = new Map<string, Declaration>();
  for (const { entry, path } of custom) {
    const { declaration, invalid } = customAction(entry);
    const at = joinPointer(path, 'schema');
    if (invalid !== undefined)
      report({ code: 'action_manifest.invalid_schema', path: at, message: `The schema of ${entry.name} is wrong: ${invalid}.` });
    vocabulary.set(entry.name, ours.find(({ name }) => name === entry.name) ?? declaration);
  }
  for (const name of names) {
    const declared = official.get(name);
    if (declared) vocabulary.set(name, declared);
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
