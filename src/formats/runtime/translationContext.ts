// The manifest that is being translated, and the positions of its parts in the classic document.
import { createHash } from 'node:crypto';
import type { Document } from '../../document/readDocument.js';
import type { ResolveDocument } from '../../recipe/recipe.js';
import type { Origins } from '../modern/origins.js';
import { escapeBraces } from './escapeBraces.js';
import type { FindingReport } from './findingReport.js';
import type { Manifest } from './manifest.js';

export type Json = Record<string, unknown>;

export type TranslationContext = {
  manifest: Manifest;
  document: Document;
  report: FindingReport;
  origins: Origins;
  resolve: ResolveDocument;
  /** The ids of the manifests that contain this one, outermost first, and its own. */
  stack: readonly string[];
  /** How many nodes may still be created: each use of a sub-recipe creates its nodes again. */
  budget: { nodes: number };
};

/** The maximum depth of a plan in the engine. */
const maxDepth = 8;

/** Reports a problem when maps and recipes are nested too deep or have too many nodes. */
export function hasRoom({ report, budget }: TranslationContext, ancestors: readonly string[], at: readonly string[]): boolean {
  const isDeep = ancestors.length >= maxDepth;
  if (!isDeep && budget.nodes > 0) return true;
  const message = isDeep
    ? `Maps and recipes are nested deeper than ${maxDepth} levels: ${ancestors.join(' → ')}.`
    : 'The manifest has too many nodes, including those of its maps and recipes.';
  report.block({ code: 'runtime.too_large', at, message, hint: 'Remove some of them, or split the manifest.' });
  return false;
}

/** `at`: the keys of the object with the nodes. `depth`: the number of steps of a run path to it. */
export type GraphPosition = {
  at: readonly string[];
  depth: number;
  /** The number of steps of the run path to the running manifest, which identifies its state. */
  level: number;
  /** Within a map: the number of steps of the run path to the item of the innermost map. */
  item?: number;
  /** The ids of the maps that contain it. */
  maps: readonly string[];
};

/** `at`: keys in the classic document. `keys`: keys in the authored one. */
type SourcePosition = { at: readonly string[]; keys: readonly string[] };

/** Records where a node of the classic document was written, and returns the node. */
export function recordOrigin({ origins, document }: TranslationContext, { at, keys }: SourcePosition, json: Json): Json {
  return origins.recordSource(at, { document, keys }, { json, moved: [] });
}

/** Returns the fields with which an action of a runtime recipe finds its manifest and state. */
export function nodeIdentity(id: string, { level, item }: GraphPosition, layer = 0): Json {
  return { node: escapeBraces(id), level, layer, ...(item === undefined ? {} : { item }) };
}

/** Returns a unique id for a question within `at`. Answers refer to ids, and one answer must not apply to two questions. */
export function questionId(prefix: string, at: readonly string[]): string {
  // `at` is …, nodes, id, body, nodes, id, body, …; the outermost id is always the topology.
  const first = at.indexOf('nodes') + 1;
  const ids = at.filter((_, index) => index >= first && (index - first) % 3 === 0).slice(1);
  const id = [prefix, ...ids].join('.');
  if (id.length <= 100 && !ids.some((nodeId) => nodeId.includes('.'))) return id;
  return `${id.slice(0, 80)}.${createHash('sha256').update(JSON.stringify(ids)).digest('hex').slice(0, 16)}`;
}
