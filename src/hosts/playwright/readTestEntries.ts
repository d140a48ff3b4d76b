// From a document to the tests it stands for: a recipe is one, a catalog has one for every example of its flows.
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
import { listPlannedTests } from '../shared/declaredTests.js';
import { findRequestedLine } from './internals/commandLine.js';
import { addFixtureFindings, listFixtures } from './missingFixtures.js';
import { readPrefetched } from './prefetchDocument.js';
import type { TestProjectContext } from './projectContext.js';
import { createInvalidEntry, flowTag, recipeTag, type TestEntry } from './testEntry.js';

export function readTestEntries(file: string, host: TestProjectContext): TestEntry[] {
  const options = host.loadOptions(file);
  const read = readPrefetched(file, options.limits);
  if (isCatalog(read)) return readCatalogEntries(file, loadCatalog(read, options), host);
  const load = addFixtureFindings(loadDocument(read, options), host);
  const entry = createRecipeEntry(file, load, host);
  lastRead = { id: entry.id, host, load };
  return [entry];
}

/** What is loaded again when its test runs: nothing, when it was the last that was read. */
export function loadTestEntry({ id, file, flow }: TestEntry, host: TestProjectContext): LoadResult {
  if (lastRead?.id === id && lastRead.host === host) return lastRead.load;
  const options = host.loadOptions(file);
  const read = readDocumentFile(file, options.limits);
  if (!flow || !read.document) return addFixtureFindings(loadDocument(read, options), host);
  if (flow.index >= 0)
    return addFixtureFindings(loadExample({ document: read.document, flow: flow.id, index: flow.index }, options), host);
  const { flows, findings, text } = loadCatalog(read, options);
  return { findings: flows.find(({ id }) => id === flow.id)?.findings ?? findings, text };
}

// Many documents are read, and only the one that runs is needed again.
let lastRead: { id: string; host: TestProjectContext; load: LoadResult } | undefined;

function isCatalog({ document }: DocumentRead): boolean {
  return document !== undefined && flowCatalog.detect(document);
}

function createRecipeEntry(file: string, load: LoadResult, host: TestProjectContext): TestEntry {
  const { loaded = load.rejected, findings, text } = load;
  const id = recipeId(file, host.project.projectRoot);
  if (!loaded || (hasErrors(findings) && !isCredentialRejection(findings)))
    return {
      ...createInvalidEntry({ id, file }, findings),
      title: `${basename(file)} is a valid recipe`,
      claims: listPlannedTests(file, host.project.projectRoot).flatMap(({ claims }) => claims),
    };
  const { recipe } = loaded.compiled;
  const requestedLine = findRequestedLine(file);
  const isInDocument = requestedLine !== undefined && requestedLine <= text.split('\n').length;
  // Written out: this is done for every document of a project, and spreads are slow.
  const entry: TestEntry = {
    id,
    file,
    title: oneLine(recipe.title ?? '') || id,
    place: isInDocument ? { file, line: requestedLine, column: 1 } : findTitlePlace(loaded.document),
    tags: createTags(recipe.proofTargets),
    claims: recipe.proofTargets.map(({ id, claim }) => ({ id, claim })),
    fixtures: listFixtures(loaded, host),
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

/** The catalogs, library recipes and manifests that it calls. */
function listDependencies({ compiled: { recipe, origin, sourceFiles = [] }, document }: LoadedRecipe): string[] {
  if (recipe.flows.size === 0 && sourceFiles.length === 0) return [];
  const foreign = [...recipe.flows.values()].filter(({ catalog, fromRecipe }) => catalog !== undefined || fromRecipe);
  return [...new Set([...foreign.map(({ pointer }) => origin(pointer).file), ...sourceFiles])].filter(
    (file) => file !== document.file,
  );
}

// The tests of a flow catalog: one for each example, at its own line.

/** An example that has no number: the flow, or the catalog, as a whole. */
const wholeFlow = -1;

export function readCatalogEntries(file: string, { flows, findings }: LoadedCatalog, host: TestProjectContext): TestEntry[] {
  const id = recipeId(file, host.project.projectRoot).replace(/\.json$/, '');
  if (findings.length > 0) {
    const title = `${basename(file)} is a valid flow catalog`;
    return [{ ...createInvalidEntry({ id, file }, findings), title, flow: { id: '', index: wholeFlow } }];
  }
  const requestedLine = findRequestedLine(file);
  return flows.flatMap((flow) =>
    createFlowEntries(flow, { file, id: `${id}/${encodeURIComponent(flow.id)}`, requestedLine, host }),
  );
}

type CatalogContext = { file: string; id: string; requestedLine: number | undefined; host: TestProjectContext };

function createFlowEntries(flow: LoadedFlow, context: CatalogContext): TestEntry[] {
  const { id, file, requestedLine } = context;
  const flowAsWhole = { flow: { id: flow.id, index: wholeFlow } };
  if (flow.findings.length > 0)
    return [
      {
        ...createInvalidEntry({ id, file }, flow.findings),
        ...flowAsWhole,
        title: oneLine(`${flow.id} is a valid flow`),
        tags: flowTags,
      },
    ];
  if (flow.examples.length > 0) return createExampleEntries(flow, context);
  const place = findPlaceIn(flow, requestedLine);
  return [
    { id, file, ...flowAsWhole, title: oneLine(flow.id), place, tags: flowTags, claims: [], fixtures: [], skip: noExamplesText },
  ];
}

const flowTags = [recipeTag, flowTag];
const noExamplesText = 'The flow has no examples: write one under "examples", and it is run.';

function createExampleEntries(flow: LoadedFlow, { file, id, requestedLine, host }: CatalogContext): TestEntry[] {
  // A line of the flow that is of no example asks for all of them.
  const isForAll = includesLine(flow, requestedLine) && !flow.examples.some((example) => includesLine(example, requestedLine));
  return flow.examples.map((example, index): TestEntry => {
    const { loaded, findings } = addFixtureFindings(example, host);
    const own = { id: `${id}-${index + 1}`, file, flow: { id: flow.id, index }, title: oneLine(example.title) };
    if (!loaded || hasErrors(findings)) return { ...createInvalidEntry(own, findings), ...own, tags: flowTags };
    const place = findPlaceIn(
      isForAll ? { ...flow, place: { ...example.place, line: flow.place.line } } : example,
      requestedLine,
    );
    return { ...own, place, tags: flowTags, claims: [], fixtures: listFixtures(loaded, host) };
  });
}

// Playwright wants the very line of a test: any line of what it stands for is taken for it.
function findPlaceIn(lines: LineRange, requestedLine: number | undefined): Place {
  return includesLine(lines, requestedLine) ? { file: lines.place.file, line: requestedLine, column: 1 } : lines.place;
}

// Where the title of a document stands, without working out where everything else does: lists need nothing more.

/** The key "title" of the root, which some formats call "name", or the beginning of the document. */
export function findTitlePlace({ file, text }: Document): Place {
  const offset = findTopLevelKey(text, 'title') ?? findTopLevelKey(text, 'name') ?? Math.max(text.indexOf('{'), 0);
  const before = text.slice(0, offset);
  return { file, line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

// The text is known to be JSON: a string that a colon follows is a key.
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
