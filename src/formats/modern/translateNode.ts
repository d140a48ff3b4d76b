// One modern node as a classic one.

import { fillParams } from './fillParams.js';
import type { Made, Moved } from './origins.js';
import { type Reference, toPath, wholeReference } from './references.js';
import { type Json, type Site, sourceOf } from './site.js';
import { translateSwitch } from './translateSwitch.js';
import { checkReference, outputKeys, readsOutputs, translateTexts } from './translateTexts.js';

/** A node in the making; `rw` is what Recipe v1 lacks. */
export type Draft = { json: Json; rw: Json; moved: Moved[] };

export function translateNode(site: Site, id: string): Made<Json> {
  const node = site.authored.graph.nodes.get(id) ?? { action: '' };
  const draft: Draft = { json: { ...node }, rw: {}, moved: [] };
  if (node.action === 'switch') translateSwitch(site, id, draft);
  else if (node.action === 'call') fillParams(site, id, draft);
  else if (node.cases) nameCases(site, id, draft);
  renameAction(site, id, draft);
  mapClaims(site, id, draft);
  const json = translateFields(site, id, draft);
  return { json: Object.keys(draft.rw).length > 0 ? { ...json, rw: draft.rw } : json, moved: draft.moved };
}

function nameCases(site: Site, id: string, draft: Draft): void {
  const { cases, ...rest } = draft.json;
  draft.json = rest;
  draft.rw.cases = cases;
  draft.moved.push([['rw', 'cases'], sourceOf(site, id, 'cases')]);
}

const gestures: ReadonlyMap<string, string> = new Map(['swipe', 'pan', 'drag', 'long_press'].map((kind) => [`ui.${kind}`, kind]));

function renameAction(site: Site, id: string, draft: Draft): void {
  const { action, ...rest } = draft.json;
  const kind = gestures.get(String(action));
  const added: Json = kind !== undefined ? { kind } : action === 'ui.capture_surface' ? { full_page: true } : {};
  for (const field of Object.keys(added)) draft.moved.push([[field], sourceOf(site, id, 'action')]);
  const known = kind !== undefined ? 'ui.gesture' : action === 'ui.capture_surface' ? 'ui.screenshot' : action;
  draft.json = { action: known, ...rest, ...added };
}

// What a called recipe proves are claims of its own; its nodes serve the claim of the call.
function mapClaims(site: Site, id: string, draft: Draft): void {
  const { proves, ...rest } = draft.json as { proves?: string[]; covers?: unknown };
  draft.json = rest;
  const declared = (site.authored.json.proofTargets ?? []).map((target) => target.id);
  for (const [index, target] of (proves ?? []).entries()) {
    if (declared.includes(target)) continue;
    const message = `Node ${JSON.stringify(id)} proves ${JSON.stringify(target)}, which is not declared in "proofTargets".`;
    const at = ['workflow', 'nodes', id, 'proves', String(index)];
    site.authored.report({
      code: 'recipe.undeclared_proof_target',
      at,
      message,
      hint: `Declared: ${declared.join(', ') || 'none'}.`,
    });
  }
  const [first] = proves ?? [];
  if (first === undefined || site.params === 'params') return;
  draft.json.proofTarget = first;
  draft.moved.push([['proofTarget'], sourceOf(site, id, 'proves', '0')]);
  if (proves?.length !== 1) shareProof(site, id, { draft, proves: proves ?? [] });
}

function shareProof(site: Site, id: string, { draft, proves }: { draft: Draft; proves: string[] }): void {
  const before = Array.isArray(draft.json.covers) ? (draft.json.covers as unknown[]) : [];
  const added = proves.filter((target) => !before.includes(target));
  draft.json.covers = [...before, ...added];
  draft.rw.proves = proves;
  if (before.length === 0) draft.moved.push([['covers'], sourceOf(site, id, 'proves')]);
  for (const [index, target] of added.entries()) {
    const from = sourceOf(site, id, 'proves', String(proves.indexOf(target)));
    draft.moved.push([['covers', String(before.length + index)], from]);
  }
  draft.moved.push([['rw', 'proves'], sourceOf(site, id, 'proves')]);
}

/** Fields of the protocol: only those of the action are filled while it runs. */
const unbound: ReadonlySet<string> = new Set('intent note detail description assert params claims covers timeout_ms'.split(' '));
const structural: ReadonlySet<string> = new Set(['action', 'next', 'cases', 'default', 'proofTarget']);

function translateFields(site: Site, id: string, draft: Draft): Json {
  const json: [string, unknown][] = [];
  for (const [field, value] of Object.entries(draft.json)) {
    const reference = wholeReference(value);
    if (structural.has(field)) json.push([field, value]);
    else if (reference?.root === 'outputs' && !unbound.has(field)) bind(site, { id, field, reference }, draft);
    else {
      json.push([field, translateTexts(site, value, { keys: ['workflow', 'nodes', id, field], node: id })]);
      if (readsOutputs(value)) draft.rw.templates = 'outputs';
    }
  }
  return Object.fromEntries(json);
}

type Bound = { id: string; field: string; reference: Reference };

function bind(site: Site, { id, field, reference }: Bound, { rw, moved }: Draft): void {
  checkReference(site, reference, { keys: ['workflow', 'nodes', id, field], node: id });
  const [source = '', ...path] = outputKeys(site, reference.keys, id);
  rw.in = { ...(rw.in as Json | undefined), [field]: { source, path: toPath(path) } };
  for (const part of ['source', 'path']) moved.push([['rw', 'in', field, part], sourceOf(site, id, field)]);
  moved.push([['rw', 'in', field], sourceOf(site, id, field)]);
}
