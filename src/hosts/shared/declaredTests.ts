// Lists the tests of a document and their claims without checking the document. The tests check it when they run.
import { basename } from 'node:path';
import { readDocumentFile } from '../../check/readDocumentFile.js';
import type { Place } from '../../document/finding.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { findLineRange, type LineRange } from '../../document/lineRange.js';
import { oneLine } from '../../document/printFinding.js';
import type { Document } from '../../document/readDocument.js';
import { recipeId } from '../../evidence/runIdentity.js';
import type { DeclaredClaim } from '../../evidence/suite.js';
import { flowCatalog } from '../../formats/classic/catalog.js';
import { examplePointer } from '../../formats/classic/catalogExample.js';
import { runtimeRecipe } from '../../formats/runtime/compile.js';
import { template, toRecipeName } from '../../formats/template/compile.js';
import { tryReadText } from '../../system/files/files.js';

/** `flow` and `example`: the lines of the flow and of the example, for a test of a catalog. */
export type DeclaredTest = {
  title: string;
  tags: string[];
  place: Place;
  flow?: LineRange;
  example?: LineRange;
  identity: DeclaredIdentity;
  /** The claims that the document declares. */
  claims: DeclaredClaim[];
};

export function readDeclaredTests(file: string, projectRoot: string): DeclaredTest[] {
  const { document } = readDocumentFile(file);
  return listDeclaredTests(document ?? { file }, projectRoot);
}

/** Lists at least one test: the test of a document that cannot be read reports the reason. */
export function listDeclaredTests(document: Document | { file: string }, projectRoot: string): DeclaredTest[] {
  const { file } = document;
  const id = recipeId(file, projectRoot);
  if (!('value' in document)) {
    const title = `${basename(file)} is a valid recipe`;
    return [{ title, tags: [recipeTag], place: { file, line: 1, column: 1 }, identity: { id, file }, claims: [] }];
  }
  if (flowCatalog.detect(document)) return listCatalogTests(document, toCatalogId(file, projectRoot));
  const { proofTargets } = document.value as { proofTargets?: unknown };
  const [key, title] = readTitle(document);
  return [
    {
      title: oneLine(title ?? (template.detect(document) ? toRecipeName(file) : basename(file))),
      tags: [...new Set([recipeTag, ...readTargetIds(proofTargets).map(createTag)])],
      place: document.place(title === undefined ? '' : `/${key}`),
      identity: { id, file },
      claims: readClaims(proofTargets),
    },
  ];
}

/** Runtime manifests have a name instead of a title. */
function readTitle(document: Document): [key: string, title: string | undefined] {
  const key = runtimeRecipe.detect(document) ? 'name' : 'title';
  const title = (document.value as Record<string, unknown>)[key];
  return [key, typeof title === 'string' && title.trim() !== '' ? title : undefined];
}

export const noExamplesText = 'The flow has no examples, so it was not run. Add one under "examples".';

const recipeTag = 'recipe';
const flowTags = [recipeTag, 'flow'];

function readTargetIds(targets: unknown): string[] {
  const ids = (Array.isArray(targets) ? targets : []).map((target: { id?: unknown } | null) => target?.id);
  return ids.filter((id): id is string => typeof id === 'string' && id !== '');
}

function readClaims(targets: unknown): DeclaredClaim[] {
  const listed = (Array.isArray(targets) ? targets : []).map((target) => Object(target) as Partial<Record<string, unknown>>);
  return listed.flatMap(({ id, claim }) =>
    typeof id === 'string' && id !== '' ? [{ id, claim: typeof claim === 'string' && claim !== '' ? claim : id }] : [],
  );
}

// A tag cannot contain the operators of Vitest's --tags-filter.
function createTag(id: string): string {
  const tag = id.replace(/[\s()!&|*,]+/g, '-');
  return /^(and|or|not)$/i.test(tag) ? `${tag}-` : tag;
}

function listCatalogTests(document: Document, id: string): DeclaredTest[] {
  const { file, value, place } = document;
  const { flows } = value as { flows?: unknown };
  const flowEntries = typeof flows === 'object' && flows !== null && !Array.isArray(flows) ? Object.entries(flows) : [];
  if (flowEntries.length === 0) {
    const title = `${basename(file)} is a valid flow catalog`;
    return [{ title, tags: flowTags, place: place(''), identity: { id, file, example: { flow: '', index: 0 } }, claims: [] }];
  }
  return flowEntries.flatMap(([flow, value]) => {
    const flowId = createFlowId(id, flow);
    const flowLines = findLineRange(document, joinPointer('/flows', flow));
    const { examples } = Object(value) as { examples?: unknown };
    if (!Array.isArray(examples) || examples.length === 0) {
      const identity: DeclaredIdentity = { id: flowId, file, skip: noExamplesText };
      return [{ title: oneLine(flow), tags: flowTags, place: flowLines.place, flow: flowLines, identity, claims: [] }];
    }
    return examples.map((example: unknown, index): DeclaredTest => {
      const { description = `example ${index + 1}` } = Object(example) as { description?: unknown };
      const title = oneLine(`${flow}: ${String(description)}`);
      const identity: DeclaredIdentity = { id: `${flowId}-${index + 1}`, file, example: { flow, index } };
      const lines = findLineRange(document, examplePointer(flow, index));
      return { title, tags: flowTags, place: lines.place, flow: flowLines, example: lines, identity, claims: [] };
    });
  });
}

/** One example of a flow of a catalog. */
export type ExampleReference = { flow: string; index: number };
/** Identifies the recipe of a test, in the `meta` of the test. */
export type DeclaredIdentity = {
  id: string;
  file: string;
  example?: ExampleReference;
  /** Why the test is skipped. */
  skip?: string;
  /** The document is not valid, so its recipe did not run. */
  invalid?: true;
  /** Why the document is not valid. */
  problem?: string;
  /** The names of the project's own actions. */
  ownActions?: readonly string[];
};

/** Returns the id of a flow catalog. */
export function toCatalogId(file: string, projectRoot: string): string {
  return recipeId(file, projectRoot).replace(/\.json$/, '');
}

export function createFlowId(catalogId: string, flow: string): string {
  return `${catalogId}/${encodeURIComponent(flow)}`;
}

/** A test that a document should have, with its claims. */
export type PlannedTest = { id: string; claims: readonly DeclaredClaim[] };

export function listPlannedTests(file: string, projectRoot: string): PlannedTest[] {
  const claims = file.endsWith('.recipe.json') ? readRecipeClaims(file) : undefined;
  if (claims) return [{ id: recipeId(file, projectRoot), claims }];
  return readDeclaredTests(file, projectRoot).map(({ identity, claims }) => ({ id: identity.id, claims }));
}

/** Lists the ids of tests without reading the documents. A catalog counts as one test. */
export function listPlannedIds(files: readonly string[], projectRoot: string): string[] {
  return files.map((file) => recipeId(file, projectRoot).replace(/\.flows\.json$/, '.flows'));
}

// JSON.parse, because parsing with positions takes four times as long, which matters for thousands of documents.
function readRecipeClaims(file: string): DeclaredClaim[] | undefined {
  try {
    const { proofTargets } = Object(JSON.parse(tryReadText(file) ?? '')) as { proofTargets?: unknown };
    return readClaims(proofTargets);
  } catch {
    // SyntaxError: the test of the document reports it.
    return undefined;
  }
}
