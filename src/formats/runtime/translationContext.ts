// The manifest that is being translated, and where its parts land in the classic document.
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
  /** The ids of the manifests around it, outermost first, with its own. */
  stack: readonly string[];
  /** How many nodes may still be made: sub-recipes are written out wherever they are used. */
  budget: { nodes: number };
};

/** Deeper than this no plan goes. */
const maxDepth = 8;

/** Whether there is room for what runs inside of a node; it is told of when there is none. */
export function hasRoom({ report, budget }: TranslationContext, ancestors: readonly string[], at: readonly string[]): boolean {
  const isDeep = ancestors.length >= maxDepth;
  if (!isDeep && budget.nodes > 0) return true;
  const message = isDeep
    ? `Maps and recipes run each other deeper than ${maxDepth} levels: ${ancestors.join(' → ')}.`
    : 'With all that its maps and recipes run the manifest has too many nodes.';
  report.block({ code: 'runtime.too_large', at, message, hint: 'Take some of them out, or split the manifest.' });
  return false;
}

/** `at`: the keys of the object that holds the nodes. `depth`: how many steps a run path has down to it. */
export type GraphPosition = {
  at: readonly string[];
  depth: number;
  /** The steps of the run path down to the manifest that is run, which names its state. */
  level: number;
  /** The steps down to the item of the innermost map, inside of one. */
  item?: number;
  /** The maps around it. */
  maps: readonly string[];
};

/** `at` in the classic document, `keys` in the authored one. */
type SourcePosition = { at: readonly string[]; keys: readonly string[] };

/** Says where a node of the classic document was written, and gives it back. */
export function recordOrigin({ origins, document }: TranslationContext, { at, keys }: SourcePosition, json: Json): Json {
  return origins.recordSource(at, { document, keys }, { json, moved: [] });
}

/** What every action of a runtime recipe is told about itself. */
export function nodeIdentity(id: string, { level, item }: GraphPosition, layer = 0): Json {
  return { node: escapeBraces(id), level, layer, ...(item === undefined ? {} : { item }) };
}

/** A question inside of `at`, by an id that no other node has: answers go by ids, and one must not stand for two questions. */
export function questionId(prefix: string, at: readonly string[]): string {
  // …, nodes, id, body, nodes, id, body, …, and the outermost is always the topology.
  const first = at.indexOf('nodes') + 1;
  const ids = at.filter((_, index) => index >= first && (index - first) % 3 === 0).slice(1);
  const id = [prefix, ...ids].join('.');
  if (id.length <= 100 && !ids.some((one) => one.includes('.'))) return id;
  return `${id.slice(0, 80)}.${createHash('sha256').update(JSON.stringify(ids)).digest('hex').slice(0, 16)}`;
}
