// Turns an action manifest into the vocabulary that recipes are checked against, and reports its mistakes.

import type { z } from 'zod';
import type { Declaration } from '../../actions/action.js';
import { officialVocabulary } from '../../actions/vocabulary.js';
import { didYouMean } from '../../document/didYouMean.js';
import type { Finding, Place } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import { type FindingCodes, toModelFindings } from '../../evidence/models/modelFindings.js';
import { extensionActions } from '../registry.js';
import {
  type ClassicManifest,
  type CustomAction,
  classicManifestModel,
  type ModernManifest,
  modernActionModel,
  modernManifestModel,
} from './actionManifestModel.js';
import { extendDeclaration, toCustomDeclaration } from './manifestActions.js';
import { checkClassic, checkModern, findMisspelledFields, type ReportManifestFinding } from './manifestRules.js';

export type ManifestVocabulary = {
  vocabulary: ReadonlyMap<string, Declaration>;
  preconditions: ReadonlySet<string>;
  operators: ReadonlySet<string>;
  stateRefs: ReadonlySet<string>;
  findings: Finding[];
};

const unknownPlace = (): Place => ({ file: 'action-manifest.json', line: 1, column: 1 });

/** `place` finds the place of a pointer, for a manifest that was read from a file. */
export function fromManifest(json: unknown, place: (pointer: string) => Place = unknownPlace): ManifestVocabulary {
  const isModern = typeof json === 'object' && json !== null && 'actions' in json;
  return isModern ? fromModern(json, place) : fromClassic(json, place);
}

function fromClassic(json: unknown, place: (pointer: string) => Place): ManifestVocabulary {
  const { findings, report } = createReport(place);
  const misspelledFields = findMisspelledFields(json, report);
  const parsed = parseManifest(classicManifestModel, json, { codes: classicCodes, place });
  // A field in another spelling is reported once, and not as a missing field too.
  const shapeFindings = parsed.findings.filter(({ path }) => !misspelledFields.has(path.slice(1)));
  if (!parsed.data) return { ...emptyVocabulary(), findings: [...findings, ...shapeFindings] };
  const manifest: ClassicManifest = parsed.data;
  checkClassic(manifest, report);
  const metadata = new Map(Object.entries(manifest.action_metadata ?? {}));
  const official = manifest.supported_official_actions.map((name) => ({
    name,
    schema: metadata.get(name)?.schema,
    path: joinPointer('/action_metadata', name),
  }));
  const custom = (manifest.custom_actions ?? []).map((entry, index) => ({ entry, path: joinPointer('/custom_actions', index) }));
  return {
    vocabulary: createVocabulary(official, custom, report),
    preconditions: new Set((manifest.pre_conditions ?? []).map(({ id }) => id)),
    operators: new Set((manifest.custom_assertion_operators ?? []).map(({ name }) => name)),
    stateRefs: new Set((manifest.state_refs ?? []).flatMap(({ name, ref }) => name ?? ref ?? [])),
    findings,
  };
}

function fromModern(json: unknown, place: (pointer: string) => Place): ManifestVocabulary {
  const parsed = parseManifest(modernManifestModel, json, { codes: modernCodes, place });
  if (!parsed.data) return { ...emptyVocabulary(), findings: parsed.findings };
  const manifest: ModernManifest = parsed.data;
  const { findings, report } = createReport(place);
  checkModern(manifest, report);
  const actions = Object.entries(manifest.actions).map(([name, action]) => ({
    name,
    ...action,
    path: joinPointer('/actions', name),
  }));
  const custom = actions
    .filter(({ name }) => !officialVocabulary.has(name))
    .map(({ name, description, schema, examples, path }) => ({
      entry: { name, description, schema, examples: examples.map((node) => ({ node })) },
      path,
    }));
  return { ...emptyVocabulary(), vocabulary: createVocabulary(actions, custom, report), findings };
}

type OfficialEntry = { name: string; schema?: CustomAction['schema']; path: string };

function createVocabulary(
  official: readonly OfficialEntry[],
  custom: readonly { entry: CustomAction; path: string }[],
  report: ReportManifestFinding,
): Map<string, Declaration> {
  const vocabulary = new Map<string, Declaration>();
  const add = (name: string, path: string, { declaration, invalid }: { declaration: Declaration; invalid?: string }): void => {
    vocabulary.set(name, declaration);
    if (invalid === undefined) return;
    const message = `The schema of ${name} is invalid: ${invalid}.`;
    const hint = 'Write a JSON Schema of the fields: { "type": "object", "properties": { … } }.';
    report({ code: 'action_manifest.invalid_schema', path: joinPointer(path, 'schema'), message, hint });
  };
  for (const { entry, path } of custom) {
    const known = extensionActions.find(({ name }) => name === entry.name);
    add(entry.name, path, { ...toCustomDeclaration(entry), ...omitUndefined({ declaration: known }) });
  }
  for (const { name, schema, path } of official) {
    const declaration = officialVocabulary.get(name);
    if (declaration) add(name, path, extendDeclaration(declaration, schema));
  }
  return vocabulary;
}

type ParseOptions = Pick<Parameters<typeof toModelFindings>[0], 'codes' | 'place'>;

function parseManifest<T extends z.ZodType>(
  model: T,
  value: unknown,
  options: ParseOptions,
): { data?: z.output<T>; findings: Finding[] } {
  const { success, data, error } = model.safeParse(value);
  return success ? { data, findings: [] } : { findings: toModelFindings({ value, error, ...options }) };
}

function createReport(place: (pointer: string) => Place): { findings: Finding[]; report: ReportManifestFinding } {
  const findings: Finding[] = [];
  return { findings, report: (finding) => findings.push({ severity: 'error', ...finding, place: place(finding.path) }) };
}

function emptyVocabulary(): Omit<ManifestVocabulary, 'findings'> {
  return { vocabulary: new Map(), preconditions: new Set(), operators: new Set(), stateRefs: new Set() };
}

// The codes of the protocol's reference implementation for issues of the models. The path of an unknown field ends with "?".

const codePrefix = 'action_manifest';
const suggestField = (model: { shape: object }) => (name: string) => didYouMean(name, Object.keys(model.shape));
const entryPattern = '(?:action_metadata\\.[^.]+|custom_actions\\.\\d+|actions\\.[^.]+)';

const sharedCodes: FindingCodes = [
  [new RegExp(`^${entryPattern}\\.schema`), `${codePrefix}.invalid_schema`],
  [new RegExp(`^${entryPattern}\\.examples$`), `${codePrefix}.invalid_examples`],
  [new RegExp(`^${entryPattern}\\.examples\\.\\d+$`), `${codePrefix}.invalid_example`],
  [new RegExp(`^${entryPattern}\\.examples\\.\\d+\\.description`), `${codePrefix}.invalid_example_description`],
  [new RegExp(`^${entryPattern}\\.examples\\.\\d+\\.node$`), `${codePrefix}.invalid_example_node`],
  [new RegExp(`^${entryPattern}\\.examples\\.\\d+\\.(node\\.)?action`), `${codePrefix}.invalid_example_action`],
  [/^observers$/, `${codePrefix}.invalid_observers`],
  [/^observers\.\d+\..*\?$/, `${codePrefix}.unsupported_observer_field`, 'An observer has only "ref" and "default_for".'],
  [/^observers\.\d+\.ref/, `${codePrefix}.invalid_observer_ref`],
  [/^observers\.\d+\.default_for/, `${codePrefix}.invalid_observer_default_for`],
  [/^observers\./, `${codePrefix}.invalid_observer`],
];

const classicCodes: FindingCodes = [
  ...sharedCodes,
  [/^$/, `${codePrefix}.invalid_document`],
  [/^runner_protocol_version/, `${codePrefix}.invalid_runner_protocol_version`],
  [/^action_registry_version/, `${codePrefix}.invalid_action_registry_version`],
  [
    /^supported_official_actions$/,
    `${codePrefix}.invalid_supported_official_actions`,
    'List the official actions that the runner executes: ["command", "end"].',
  ],
  [/^supported_official_actions\./, `${codePrefix}.invalid_supported_action`],
  [/^custom_actions$/, `${codePrefix}.invalid_custom_actions`],
  [/^custom_actions\.\d+$/, `${codePrefix}.invalid_custom_action`, 'Write { "name": "shop.ensure_cart" }.'],
  [/^custom_actions\.\d+\.name/, `${codePrefix}.invalid_custom_action_name`],
  [/^(custom_actions|action_metadata)\.[^.]+\./, `${codePrefix}.invalid_metadata_field`],
  [/^action_metadata/, `${codePrefix}.invalid_action_metadata`],
  [/^(custom_assertion_operators|state_refs)$/, `${codePrefix}.invalid_declaration_array`],
  [/^(custom_assertion_operators|state_refs)\./, `${codePrefix}.invalid_declaration`, 'Write { "name": "shop.…" }.'],
  [/^pre_conditions$/, `${codePrefix}.invalid_pre_conditions`],
  [/^pre_conditions\.\d+\.id/, `${codePrefix}.invalid_pre_condition_id`],
  [/^pre_conditions\.\d+\.description/, `${codePrefix}.invalid_pre_condition_description`],
  [/^pre_conditions\./, `${codePrefix}.invalid_pre_condition`],
  [/^native_bindings$/, `${codePrefix}.invalid_native_bindings`],
  [/^native_bindings\.\d+\.action/, `${codePrefix}.invalid_native_binding_action`],
  [/^native_bindings\.\d+\.implementation/, `${codePrefix}.invalid_native_binding_implementation`],
  [/^native_bindings\./, `${codePrefix}.invalid_native_binding`],
  [/^capabilities\.\d+\.capability/, `${codePrefix}.invalid_capability_name`],
  [/^capabilities\.\d+\.status/, `${codePrefix}.invalid_capability_status`],
  [/^capabilities\.\d+\./, `${codePrefix}.invalid_capability_field`],
  [/^capabilities/, `${codePrefix}.invalid_capabilities`],
  [/./, `${codePrefix}.invalid_document`],
];

const modernCodes: FindingCodes = [
  [/^actions\.[^.]+\.description/, `${codePrefix}.missing_description`, 'Describe in one sentence what the action does.'],
  [
    /^actions\.[^.]+\.examples$/,
    `${codePrefix}.missing_examples`,
    'Add a node with this action as an example: [{ "action": "…" }].',
  ],
  ...sharedCodes,
  [/^$/, `${codePrefix}.invalid_document`],
  [/^[^.]+\?$/, `${codePrefix}.unsupported_field`, suggestField(modernManifestModel)],
  [/^\$schema/, `${codePrefix}.invalid_schema_ref`, 'Add the address of the JSON Schema of the manifest: "$schema": "…".'],
  [/^actions$/, `${codePrefix}.invalid_actions`, 'Describe at least one action: { "command": { … } }.'],
  [/^actions\.[^.]+\.[^.]+\?$/, `${codePrefix}.unsupported_action_field`, suggestField(modernActionModel)],
  [/^actions\.[^.]+\.adapters/, `${codePrefix}.invalid_adapters`, 'List at least one name, and each name once.'],
  [/^actions\.[^.]+\.result_cases/, `${codePrefix}.invalid_result_cases`, 'List at least one name, and each name once.'],
  [/^actions\.[^.]+\.execution_capabilities\.\d+/, `${codePrefix}.unknown_execution_capability`],
  [
    /^actions\.[^.]+\.execution_capabilities/,
    `${codePrefix}.invalid_execution_capabilities`,
    'List each name once, or write [] for an action that only reads.',
  ],
  [/^actions\./, `${codePrefix}.invalid_action`],
  [/./, `${codePrefix}.invalid_document`],
];
