// The rules for an action manifest beyond its shape: every name is known and declared once, and every example matches its action.

import { officialVocabulary } from '../../actions/vocabulary.js';
import { didYouMean, findNearest } from '../../document/didYouMean.js';
import type { Finding } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { operators } from '../../engine/operators.js';
import { findFieldCasing } from '../../evidence/models/modelFindings.js';
import { type ClassicManifest, classicManifestModel, type ModernManifest } from './actionManifestModel.js';

export type ReportManifestFinding = (finding: Omit<Finding, 'place' | 'severity'> & { severity?: Finding['severity'] }) => void;

export function checkClassic(manifest: ClassicManifest, report: ReportManifestFinding): void {
  const declared = new Set<string>();
  for (const [index, name] of manifest.supported_official_actions.entries()) {
    const path = joinPointer('/supported_official_actions', index);
    if (!officialVocabulary.has(name)) reportUnknown(name, path, report);
    declareOnce(declared, { name, path, report });
  }
  for (const [index, { name }] of (manifest.custom_actions ?? []).entries()) {
    const path = joinPointer('/custom_actions', index, 'name');
    if (officialVocabulary.has(name)) reportOverlap(name, path, report);
    else checkNamespace(name, path, report);
    declareOnce(declared, { name, path, report });
  }
  checkMetadata(manifest, declared, report);
  checkExamples(manifest, report);
  checkOperators(manifest, report);
  checkStateRefs(manifest, report);
  checkObservers(manifest.observers ?? [], declared, report);
}

export function checkModern({ actions, observers = [] }: ModernManifest, report: ReportManifestFinding): void {
  for (const [name, { schema, examples, execution_capabilities: capabilities }] of Object.entries(actions)) {
    const path = joinPointer('/actions', name);
    if (!officialVocabulary.has(name)) checkNamespace(name, path, report);
    if (!schema && name !== 'call' && name !== 'end')
      report({
        code: 'action_manifest.missing_schema',
        path,
        message: `The action ${name} has no "schema" of its fields.`,
        hint: 'Write { "type": "object", "properties": {} } for an action without fields.',
      });
    if (!officialVocabulary.has(name) && !capabilities) {
      const message = `The custom action ${name} has no "execution_capabilities", which list what it may do.`;
      report({
        code: 'action_manifest.missing_execution_capabilities',
        path,
        message,
        hint: 'Write [] for an action that only reads.',
      });
    }
    for (const [index, { action }] of examples.entries())
      checkExample(name, { action, path: joinPointer(path, 'examples', index, 'action') }, report);
  }
  checkObservers(observers, new Set(Object.keys(actions)), report);
}

function reportUnknown(name: string, path: string, report: ReportManifestFinding): void {
  const custom = name.includes('.') ? ' An action of the project belongs in "custom_actions".' : '';
  report({
    code: 'action_manifest.unknown_official_action',
    path,
    message: `${JSON.stringify(name)} is not an official action of Recipe v1.`,
    hint: didYouMean(name, [...officialVocabulary.keys()]) + custom,
  });
}

function reportOverlap(name: string, path: string, report: ReportManifestFinding): void {
  const message = `${JSON.stringify(name)} is an official action, so it cannot be a custom one.`;
  const hint = 'List the action in "supported_official_actions", and describe it in "action_metadata".';
  report({ code: 'action_manifest.custom_action_overlaps_official', path, message, hint });
}

function checkNamespace(name: string, path: string, report: ReportManifestFinding): void {
  if (isNamespaced(name)) return;
  const message = `The custom action ${JSON.stringify(name)} has no namespace.`;
  report({ code: 'action_manifest.custom_action_not_namespaced', path, message, hint: namespaceHint(name) });
}

function isNamespaced(name: string): boolean {
  return /^[^\s.]+(\.[^\s.]+)+$/.test(name);
}

function namespaceHint(name: string): string {
  return `Prefix the name with its owner: "shop.${name.replace(/[^\w-]+/g, '_').replace(/^_|_$/g, '') || 'action'}".`;
}

function declareOnce(
  declared: Set<string>,
  { name, path, report }: { name: string; path: string; report: ReportManifestFinding },
): void {
  if (declared.has(name))
    report({
      code: 'action_manifest.duplicate_action',
      path,
      message: `${JSON.stringify(name)} is declared more than once.`,
      hint: 'Remove one of the two.',
    });
  declared.add(name);
}

function checkMetadata(manifest: ClassicManifest, declared: ReadonlySet<string>, report: ReportManifestFinding): void {
  for (const name of Object.keys(manifest.action_metadata ?? {})) {
    const path = joinPointer('/action_metadata', name);
    if (!declared.has(name)) reportUndeclared('metadata_for_undeclared_action', { name, path, declared }, report);
  }
  for (const [index, { action: name }] of (manifest.native_bindings ?? []).entries()) {
    const path = joinPointer('/native_bindings', index, 'action');
    if (!declared.has(name)) reportUndeclared('native_binding_for_undeclared_action', { name, path, declared }, report);
  }
}

type Undeclared = { name: string; path: string; declared: ReadonlySet<string> };

function reportUndeclared(code: string, { name, path, declared }: Undeclared, report: ReportManifestFinding): void {
  const message = `${JSON.stringify(name)} is described here, but the manifest does not declare it.`;
  report({ code: `action_manifest.${code}`, path, message, hint: didYouMean(name, [...declared]) });
}

function checkExamples(manifest: ClassicManifest, report: ReportManifestFinding): void {
  const metadata = Object.entries(manifest.action_metadata ?? {}).map(([name, entry]) => ({
    name,
    entry,
    path: joinPointer('/action_metadata', name),
  }));
  const custom = (manifest.custom_actions ?? []).map((entry, index) => ({
    name: entry.name,
    entry,
    path: joinPointer('/custom_actions', index),
  }));
  for (const { name, entry, path } of [...metadata, ...custom]) {
    for (const [index, { node }] of (entry.examples ?? []).entries())
      checkExample(name, { action: node.action, path: joinPointer(path, 'examples', index, 'node', 'action') }, report);
  }
}

function checkExample(name: string, { action, path }: { action: string; path: string }, report: ReportManifestFinding): void {
  if (action === name) return;
  const message = `The example of ${name} has the action ${JSON.stringify(action)}.`;
  report({ code: 'action_manifest.example_action_mismatch', path, message, hint: `Write "action": ${JSON.stringify(name)}.` });
}

function checkOperators({ custom_assertion_operators: declared }: ClassicManifest, report: ReportManifestFinding): void {
  for (const [index, { name }] of (declared ?? []).entries()) {
    const path = joinPointer('/custom_assertion_operators', index, 'name');
    if (operators.has(name)) {
      const message = `${JSON.stringify(name)} is an official operator, so it cannot be a custom one.`;
      const hint =
        'Remove the declaration, because official operators need none. If the operator is yours, prefix its name with its owner.';
      report({ code: 'action_manifest.operator_overlaps_official', path, message, hint });
    } else if (!isNamespaced(name)) {
      const message = `The custom operator ${JSON.stringify(name)} has no namespace.`;
      report({ code: 'action_manifest.operator_not_namespaced', path, message, hint: namespaceHint(name) });
    }
  }
}

function checkStateRefs({ state_refs: refs }: ClassicManifest, report: ReportManifestFinding): void {
  for (const [index, { name, ref }] of (refs ?? []).entries()) {
    if (name !== undefined) continue;
    const message = `The state ${JSON.stringify(ref)} has a "ref" instead of a "name".`;
    const path = joinPointer('/state_refs', index, 'ref');
    report({
      code: 'action_manifest.state_ref_without_name',
      severity: 'warning',
      path,
      message,
      hint: 'Rename "ref" to "name".',
    });
  }
}

type Observer = { ref: string; default_for?: readonly string[] | undefined };

function checkObservers(observers: readonly Observer[], declared: ReadonlySet<string>, report: ReportManifestFinding): void {
  const seen = new Set<string>();
  for (const [index, { ref, default_for: actions = [] }] of observers.entries()) {
    const path = joinPointer('/observers', index);
    const refPath = joinPointer(path, 'ref');
    if (!ref.includes('.')) {
      const message = `The observer ${JSON.stringify(ref)} has no namespace.`;
      report({
        code: 'action_manifest.invalid_observer_ref',
        path: refPath,
        message,
        hint: 'Known observers: ui.screen, ui.visible.',
      });
    }
    if (seen.has(ref))
      report({
        code: 'action_manifest.duplicate_observer',
        path: refPath,
        message: `${JSON.stringify(ref)} is declared twice.`,
        hint: 'Remove one of the two.',
      });
    seen.add(ref);
    for (const [actionIndex, action] of actions.entries()) {
      if (declared.has(action) && action !== 'call' && action !== 'end') continue;
      const message = `${JSON.stringify(action)} is not an action of this manifest, or cannot be observed.`;
      report({
        code: 'action_manifest.invalid_observer_default_for',
        path: joinPointer(path, 'default_for', actionIndex),
        message,
        hint: didYouMean(action, [...declared]),
      });
    }
  }
}

const manifestFields = Object.keys(classicManifestModel.shape);

/**
 * Reports misspelled fields of a manifest, whose declarations would otherwise be ignored, and returns the intended fields. A field that
 * resembles no field of the protocol is metadata of the project.
 */
export function findMisspelledFields(manifest: unknown, report: ReportManifestFinding): Set<string> {
  const found = new Set<string>();
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest)) return found;
  for (const name of Object.keys(manifest).filter((field) => !manifestFields.includes(field))) {
    const path = joinPointer('', name);
    const casing = findFieldCasing(name, manifestFields);
    const meant = casing?.correctName ?? findNearest(name, manifestFields);
    if (meant === undefined || (!casing && Object.hasOwn(manifest, meant))) continue;
    found.add(meant);
    if (casing) report({ code: 'action_manifest.field_casing', path, message: casing.message, hint: casing.hint });
    else reportMisspelling({ name, meant, path }, report);
  }
  return found;
}

type MisspelledField = { name: string; meant: string; path: string };

function reportMisspelling({ name, meant, path }: MisspelledField, report: ReportManifestFinding): void {
  const message = `There is no field ${JSON.stringify(name)} in an action manifest.`;
  const severity = isOneTypo(name, meant) ? 'error' : 'warning';
  report({ code: 'action_manifest.unknown_field', severity, path, message, hint: `Did you mean ${JSON.stringify(meant)}?` });
}

/** Whether the name differs from the field by one letter or by two swapped letters. Such a name is a typo and not another field. */
function isOneTypo(name: string, meant: string): boolean {
  let start = 0;
  while (start < meant.length && name[start] === meant[start]) start++;
  let end = 0;
  while (end < Math.min(name.length, meant.length) - start && name.at(-1 - end) === meant.at(-1 - end)) end++;
  const wrong = name.slice(start, name.length - end);
  const right = meant.slice(start, meant.length - end);
  return Math.max(wrong.length, right.length) <= 1 || (right.length === 2 && wrong === `${right[1]}${right[0]}`);
}
