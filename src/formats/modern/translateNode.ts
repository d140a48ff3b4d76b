// Translates a modern node into a classic one.

import { didYouMean } from '../../document/didYouMean.js';
import type { AuthoredRecipe } from './callTree.js';
import type { TranslatedPart } from './origins.js';
import {
  checkReference,
  findInvalidReferences,
  findReferences,
  parseReference,
  type Reference,
  readsOutputs,
  resolveOutputKeys,
  toPath,
  translateTexts,
} from './references.js';
import { translateSwitch } from './translateSwitch.js';
import {
  findCallee,
  getNodeSource,
  type Json,
  type NodeDraft,
  readParams,
  type TranslationContext,
} from './translationContext.js';

export function translateNode(context: TranslationContext, id: string): TranslatedPart<Json> {
  const node = context.recipe.graph.nodes.get(id) ?? { action: '' };
  const draft: NodeDraft = { json: { ...node }, rw: {}, moved: [] };
  if (node.action === 'switch') translateSwitch(context, id, draft);
  else if (node.action === 'call') fillCallParams(context, id, draft);
  else if (node.cases) moveCases(context, id, draft);
  renameAction(context, id, draft);
  mapClaims(context, id, draft);
  const json = translateFields(context, id, draft);
  return { json: Object.keys(draft.rw).length > 0 ? { ...json, rw: draft.rw } : json, moved: draft.moved };
}

function moveCases(context: TranslationContext, id: string, draft: NodeDraft): void {
  const { cases, ...rest } = draft.json;
  draft.json = rest;
  draft.rw.cases = cases;
  draft.moved.push([['rw', 'cases'], getNodeSource(context, id, 'cases')]);
}

const gestureKinds: ReadonlyMap<string, string> = new Map(
  ['swipe', 'pan', 'drag', 'long_press'].map((kind) => [`ui.${kind}`, kind]),
);

function renameAction(context: TranslationContext, id: string, draft: NodeDraft): void {
  const { action, ...rest } = draft.json;
  const kind = gestureKinds.get(String(action));
  const addedFields: Json = kind !== undefined ? { kind } : action === 'ui.capture_surface' ? { full_page: true } : {};
  for (const field of Object.keys(addedFields)) draft.moved.push([[field], getNodeSource(context, id, 'action')]);
  const classicAction = kind !== undefined ? 'ui.gesture' : action === 'ui.capture_surface' ? 'ui.screenshot' : action;
  draft.json = { action: classicAction, ...rest, ...addedFields };
}

// A called recipe proves its own claims. In the caller, its nodes count for the claims of the call, so theirs are dropped.
function mapClaims(context: TranslationContext, id: string, draft: NodeDraft): void {
  const { proves, ...rest } = draft.json as { proves?: string[]; covers?: unknown };
  draft.json = rest;
  const declared = (context.recipe.json.proofTargets ?? []).map((target) => target.id);
  for (const [index, target] of (proves ?? []).entries()) {
    if (declared.includes(target)) continue;
    const message = `Node ${JSON.stringify(id)} proves ${JSON.stringify(target)}, which is not declared in "proofTargets".`;
    const at = ['workflow', 'nodes', id, 'proves', String(index)];
    context.recipe.report({
      code: 'recipe.undeclared_proof_target',
      at,
      message,
      hint: `Declared: ${declared.join(', ') || 'none'}.`,
    });
  }
  const [first] = proves ?? [];
  if (first === undefined || context.params === 'params') return;
  draft.json.proofTarget = first;
  draft.moved.push([['proofTarget'], getNodeSource(context, id, 'proves', '0')]);
  if (proves?.length !== 1) shareProof(context, id, { draft, proves: proves ?? [] });
}

function shareProof(context: TranslationContext, id: string, { draft, proves }: { draft: NodeDraft; proves: string[] }): void {
  const authoredCovers = Array.isArray(draft.json.covers) ? (draft.json.covers as unknown[]) : [];
  const added = proves.filter((target) => !authoredCovers.includes(target));
  draft.json.covers = [...authoredCovers, ...added];
  draft.rw.proves = proves;
  if (authoredCovers.length === 0) draft.moved.push([['covers'], getNodeSource(context, id, 'proves')]);
  for (const [index, target] of added.entries()) {
    const from = getNodeSource(context, id, 'proves', String(proves.indexOf(target)));
    draft.moved.push([['covers', String(authoredCovers.length + index)], from]);
  }
  draft.moved.push([['rw', 'proves'], getNodeSource(context, id, 'proves')]);
}

/** Fields of the protocol. An output is bound only to a field of the action itself. */
const unboundFields: ReadonlySet<string> = new Set(
  'intent note detail description assert params claims covers timeout_ms'.split(' '),
);
const structuralFields: ReadonlySet<string> = new Set(['action', 'next', 'cases', 'default', 'proofTarget']);

function translateFields(context: TranslationContext, id: string, draft: NodeDraft): Json {
  const json: [string, unknown][] = [];
  for (const [field, value] of Object.entries(draft.json)) {
    const reference = parseReference(value);
    if (structuralFields.has(field)) json.push([field, value]);
    else if (reference?.root === 'outputs' && !unboundFields.has(field)) bindOutput(context, { id, field, reference }, draft);
    else {
      json.push([field, translateTexts(context, value, { keys: ['workflow', 'nodes', id, field], node: id })]);
      if (readsOutputs(value)) draft.rw.templates = 'outputs';
    }
  }
  return Object.fromEntries(json);
}

type OutputBinding = { id: string; field: string; reference: Reference };

function bindOutput(context: TranslationContext, { id, field, reference }: OutputBinding, { rw, moved }: NodeDraft): void {
  checkReference(context, reference, { keys: ['workflow', 'nodes', id, field], node: id });
  const [source = '', ...path] = resolveOutputKeys(context, reference.keys, id);
  rw.in = { ...(rw.in as Json | undefined), [field]: { source, path: toPath(path) } };
  for (const part of ['source', 'path']) moved.push([['rw', 'in', field, part], getNodeSource(context, id, field)]);
  moved.push([['rw', 'in', field], getNodeSource(context, id, field)]);
}

/** Adds the defaults of the called recipe, so that the classic recipe has the complete params. */
function fillCallParams(context: TranslationContext, id: string, draft: NodeDraft): void {
  const callee = findCallee(context, id);
  if (!callee) return;
  const params = new Map(Object.entries((draft.json.params ?? {}) as Json));
  checkCallParams(context, id, { callee, params });
  for (const [name, schema] of readParams(callee)) {
    if (params.has(name) || !Object.hasOwn(schema, 'default')) continue;
    params.set(name, schema.default);
    const keys = ['paramsSchema', 'properties', name, 'default'];
    draft.moved.push([['params', name], { document: callee.document, keys }]);
  }
  if (params.size > 0) draft.json.params = Object.fromEntries(params);
}

// A default is copied into the params of the call, where a reference would read values of the caller.
export function checkParamDefaults(callee: AuthoredRecipe): void {
  const check = (value: unknown, at: string[]): void => {
    if (typeof value === 'object' && value !== null) for (const [key, inner] of Object.entries(value)) check(inner, [...at, key]);
    if (typeof value !== 'string' || findReferences(value).length + findInvalidReferences(value).length === 0) return;
    const message = `The default ${JSON.stringify(value)} contains a reference, but a default must be a fixed value.`;
    callee.report({ code: 'template.invalid_reference', at, message, hint: 'Let the caller pass the param.' });
  };
  for (const [name, schema] of readParams(callee)) check(schema.default, ['paramsSchema', 'properties', name, 'default']);
}

type CallWithParams = { callee: AuthoredRecipe; params: ReadonlyMap<string, unknown> };

function checkCallParams(context: TranslationContext, id: string, { callee, params }: CallWithParams): void {
  const declared = readParams(callee);
  const ref = JSON.stringify(context.recipe.graph.nodes.get(id)?.ref);
  const report = (keys: string[], message: string, hint: string): void =>
    context.recipe.report({ code: 'workflow.invalid_call_params', at: ['workflow', 'nodes', id, ...keys], message, hint });
  for (const name of params.keys()) {
    if (declared.has(name) || callee.json.paramsSchema?.additionalProperties === true) continue;
    const hint = declared.size === 0 ? 'The recipe takes no params.' : didYouMean(name, [...declared.keys()]);
    report(['params', name], `The recipe ${ref} takes no param ${JSON.stringify(name)}.`, hint);
  }
  for (const name of callee.json.paramsSchema?.required ?? []) {
    if (params.has(name) || Object.hasOwn(declared.get(name) ?? {}, 'default')) continue;
    report(['params'], `The recipe ${ref} needs the param ${JSON.stringify(name)}.`, `Add ${JSON.stringify(name)} to "params".`);
  }
}
