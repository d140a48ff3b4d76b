// Reads the tests of a document: a recipe is one test, and a catalog has one test for each example of its flows.
import { basename } from 'node:path';
import { type LoadedCatalog, type LoadedFlow, loadCatalog, loadExample } from '../../check/loadCatalog.js';
import { type LoadedRecipe, type LoadResult, loadDocument } from '../../check/loadRecipe.js';
import { readDocumentFile } from '../../check/readDocumentFile.js';
import { isSecret } from '../../check/rules/inputs.js';
import { hasErrors, type Place } from '../../document/finding.js';
import { includesLine, type LineRange } from '../../document/lineRange.js';
import { closingQuote } from '../../document/outlineText.js';
import { oneLine } from '../../document/printFinding.js';
import type { Document, DocumentRead } from '../../document/readDocument.js';
import { recipeId } from '../../evidence/runIdentity.js';
import { flowCatalog } from '../../formats/classic/catalog.js';
import { isCredentialRejection } from '../../formats/flowSpec/failureClass.js';
import type { ProofTarget } from '../../recipe/recipe.js';
import { createFlowId, listPlannedTests, noExamplesText, toCatalogId } from '../shared/declaredTests.js';
import { findRequestedLine } from './internals/commandLine.js';
import { addFixtureFindings, listFixtures } from './missingFixtures.js';
import { readPrefetched } from './prefetchDocument.js';
import type { TestProjectContext } from './projectContext.js';
import { createInvalidEntry, flowTag, recipeTag, type TestEntry } from './testEntry.js';

export function readTestEntries(file: string, context: TestProjectContext): TestEntry[] {
  const options = context.loadOptions(file);
  const read = readPrefetched(file, options.limits);
  if (isCatalog(read)) return readCatalogEntries(file, loadCatalog(read, options), context);
  const load = addFixtureFindings(loadDocument(read, options), context);
  const entry = createRecipeEntry(file, load, context);
  lastRead = { id: entry.id, context, load };
  return [entry];
}

/** Loads the recipe of a test before the test runs, unless the process has just read that recipe. */
export function loadTestEntry({ id, file, flow }: TestEntry, context: TestProjectContext): LoadResult {
  if (lastRead?.id === id && lastRead.context === context) return lastRead.load;
  const options = context.loadOptions(file);
  const read = readDocumentFile(file, options.limits);
  if (!flow || !read.document) return addFixtureFindings(loadDocument(read, options), context);
  if (flow.index >= 0)
    return addFixtureFindings(loadExample({ document: read.document, flow: flow.id, index: flow.index }, options), context);
  const { flows, findings, text } = loadCatalog(read, options);
  return { findings: flows.find(({ id }) => id === flow.id)?.findings ?? findings, text };
}

// Only the last document is cached: a process reads many documents, but runs the tests of few.
let lastRead: { id: string; context: TestProjectContext; load: LoadResult } | undefined;

function isCatalog({ document }: DocumentRead): boolean {
  return document !== undefined && flowCatalog.detect(document);
}

function createRecipeEntry(file: string, load: LoadResult, context: TestProjectContext): TestEntry {
  const { loaded = load.rejected, findings, text } = load;
  const { projectRoot } = context.project;
  const id = recipeId(file, projectRoot);
  if (!loaded || (hasErrors(findings) && !isCredentialRejection(findings)))
    return {
      ...createInvalidEntry({ id, file }, findings),
      title: `${basename(file)} is a valid recipe`,
      claims: listPlannedTests(file, projectRoot).flatMap(({ claims }) => claims),
    };
  const { recipe } = loaded.compiled;
  const requestedLine = findRequestedLine(file);
  const isInDocument = requestedLine !== undefined && requestedLine <= text.split('\n').length;
  // No spreads: they are slow, and this runs for every document of a project.
  const entry: TestEntry = {
    id,
    file,
    title: oneLine(recipe.title ?? '') || id,
    place: isInDocument ? { file, line: requestedLine, column: 1 } : findTitlePlace(loaded.document),
    tags: createTags(recipe.proofTargets),
    claims: recipe.proofTargets.map(({ id, claim }) => ({ id, claim })),
    fixtures: listFixtures(loaded, context),
    dependencies: listDependencies(loaded),
  };
  for (const input of recipe.inputs.values()) if (isSecret(input)) entry.hasSecrets = true;
  return entry;
}

function createTags(targets: readonly ProofTarget[]): string[] {
  const tags = new Set([recipeTag]);
  for (const { id } of targets) tags.add(`@${id.replace(/\s+/g, '-')}`);
  return [...tags];
}

/** Lists the files of the catalogs, library recipes and manifests that a recipe calls. */
function listDependencies({ compiled: { recipe, origin, sourceFiles = [] }, document }: LoadedRecipe): string[] {
  if (recipe.flows.size === 0 && sourceFiles.length === 0) return [];
  const external = [...recipe.flows.values()].filter(({ catalog, fromRecipe }) => catalog !== undefined || fromRecipe);
  return [...new Set([...external.map(({ pointer }) => origin(pointer).file), ...sourceFiles])].filter(
    (file) => file !== document.file,
  );
}

/** Replaces the index of an example when the test stands for the whole flow or catalog. */
const wholeFlow = -1;

function readCatalogEntries(file: string, { flows, findings }: LoadedCatalog, context: TestProjectContext): TestEntry[] {
  const id = toCatalogId(file, context.project.projectRoot);
  if (findings.length > 0) {
    const title = `${basename(file)} is a valid flow catalog`;
    return [{ ...createInvalidEntry({ id, file }, findings), title, flow: { id: '', index: wholeFlow } }];
  }
  const requestedLine = findRequestedLine(file);
  return flows.flatMap((flow) =>
    createFlowEntries(flow, { file, id: createFlowId(id, flow.id), requestedLine, project: context }),
  );
}

type CatalogContext = { file: string; id: string; requestedLine: number | undefined; project: TestProjectContext };

function createFlowEntries(flow: LoadedFlow, context: CatalogContext): TestEntry[] {
  const { id, file, requestedLine } = context;
  const wholeFlowField = { flow: { id: flow.id, index: wholeFlow } };
  if (flow.findings.length > 0)
    return [
      {
        ...createInvalidEntry({ id, file }, flow.findings),
        ...wholeFlowField,
        title: oneLine(`${flow.id} is a valid flow`),
        tags: flowTags,
      },
    ];
  if (flow.examples.length > 0) return createExampleEntries(flow, context);
  const place = findPlaceIn(flow, requestedLine);
  return [
    {
      id,
      file,
      ...wholeFlowField,
      title: oneLine(flow.id),
      place,
      tags: flowTags,
      claims: [],
      fixtures: [],
      skip: noExamplesText,
    },
  ];
}

const flowTags = [recipeTag, flowTag];

function createExampleEntries(flow: LoadedFlow, { file, id, requestedLine, project }: CatalogContext): TestEntry[] {
  // A line of the flow that belongs to no example selects all its examples.
  const selectsAll = includesLine(flow, requestedLine) && !flow.examples.some((example) => includesLine(example, requestedLine));
  return flow.examples.map((example, index): TestEntry => {
    const { loaded, findings } = addFixtureFindings(example, project);
    const common = { id: `${id}-${index + 1}`, file, flow: { id: flow.id, index }, title: oneLine(example.title) };
    if (!loaded || hasErrors(findings)) return { ...createInvalidEntry(common, findings), ...common, tags: flowTags };
    const place = findPlaceIn(
      selectsAll ? { ...flow, place: { ...example.place, line: flow.place.line } } : example,
      requestedLine,
    );
    return { ...common, place, tags: flowTags, claims: [], fixtures: listFixtures(loaded, project) };
  });
}

// Playwright selects a test only by its exact line. So a test that spans the requested line is declared on that line.
function findPlaceIn(lines: LineRange, requestedLine: number | undefined): Place {
  return includesLine(lines, requestedLine) ? { file: lines.place.file, line: requestedLine, column: 1 } : lines.place;
}

/**
 * Returns the place of the key "title" in the root object, or else of the key "name", or else of the document.
 * Searches the text itself, because a list of tests needs no other places.
 */
export function findTitlePlace({ file, text }: Document): Place {
  const offset = findTopLevelKey(text, 'title') ?? findTopLevelKey(text, 'name') ?? Math.max(text.indexOf('{'), 0);
  const before = text.slice(0, offset);
  return { file, line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

// The text is valid JSON, so a string before a colon is a key.
function findTopLevelKey(text: string, key: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    else if (char === '"') {
      const end = closingQuote(text, at);
      if (depth === 1 && text.startsWith(`"${key}"`, at) && /^\s*:/.test(text.slice(end + 1, end + 100))) return at;
      at = end;
    }
  }
  return undefined;
}
