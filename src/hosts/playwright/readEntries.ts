// From a document to the tests it stands for: a recipe is one, a catalog has one for every example of its flows.
import { basename } from 'node:path';
import { loadCatalog, loadExample } from '../../check/loadCatalog.js';
import { type LoadedRecipe, type LoadResult, loadDocument } from '../../check/loadRecipe.js';
import { readDocumentFile } from '../../check/readDocumentFile.js';
import { isSecret } from '../../check/rules/inputs.js';
import { hasErrors } from '../../document/finding.js';
import { oneLine } from '../../document/printFinding.js';
import type { DocumentRead } from '../../document/readDocument.js';
import { recipeId } from '../../evidence/runIdentity.js';
import { flowCatalog } from '../../formats/classic/catalog.js';
import { isCredentialRejection } from '../../formats/flowSpec/failureClass.js';
import type { ProofTarget } from '../../recipe/recipe.js';
import { plannedTests } from '../shared/plannedTests.js';
import { catalogEntries } from './catalogEntries.js';
import { type Entry, invalidEntry, recipeTag } from './entry.js';
import { lineAskedFor } from './internals.js';
import { fixturesFor, withFixtures } from './missingFixtures.js';
import { readNow } from './readAhead.js';
import type { TestingHost } from './recipeHost.js';
import { titlePlace } from './titlePlace.js';

export function readEntries(file: string, host: TestingHost): Entry[] {
  const options = host.loadOptions(file);
  const read = readNow(file, options.limits);
  if (isCatalog(read)) return catalogEntries(file, loadCatalog(read, options), host);
  const load = withFixtures(loadDocument(read, options), host);
  const entry = recipeEntry(file, load, host);
  remembered = { id: entry.id, host, load };
  return [entry];
}

/** What is loaded again when its test runs: nothing, when it was the last that was read. */
export function loadEntry({ id, file, flow }: Entry, host: TestingHost): LoadResult {
  if (remembered?.id === id && remembered.host === host) return remembered.load;
  const options = host.loadOptions(file);
  const read = readDocumentFile(file, options.limits);
  if (!flow || !read.document) return withFixtures(loadDocument(read, options), host);
  if (flow.index >= 0)
    return withFixtures(loadExample({ document: read.document, flow: flow.id, index: flow.index }, options), host);
  const { flows, findings, text } = loadCatalog(read, options);
  return { findings: flows.find(({ id }) => id === flow.id)?.findings ?? findings, text };
}

// Many documents are read, and only the one that runs is needed again.
let remembered: { id: string; host: TestingHost; load: LoadResult } | undefined;

function isCatalog({ document }: DocumentRead): boolean {
  return document !== undefined && flowCatalog.detect(document);
}

function recipeEntry(file: string, load: LoadResult, host: TestingHost): Entry {
  const { loaded = load.rejected, findings, text } = load;
  const id = recipeId(file, host.project.projectRoot);
  if (!loaded || (hasErrors(findings) && !isCredentialRejection(findings)))
    return {
      ...invalidEntry({ id, file }, findings),
      title: `${basename(file)} is a valid recipe`,
      claims: plannedTests(file, host.project.projectRoot).flatMap(({ claims }) => claims),
    };
  const { recipe } = loaded.compiled;
  const asked = lineAskedFor(file);
  const isThere = asked !== undefined && asked <= text.split('\n').length;
  // Written out: this is done for every document of a project, and spreads are slow.
  const entry: Entry = {
    id,
    file,
    title: oneLine(recipe.title ?? '') || id,
    place: isThere ? { file, line: asked, column: 1 } : titlePlace(loaded.document),
    tags: tagsOf(recipe.proofTargets),
    claims: recipe.proofTargets.map(({ id, claim }) => ({ id, claim })),
    fixtures: fixturesFor(loaded, host),
    dependencies: otherFiles(loaded),
  };
  for (const input of recipe.inputs.values()) if (isSecret(input)) entry.hasSecrets = true;
  return entry;
}

function tagsOf(targets: readonly ProofTarget[]): string[] {
  const tags = new Set([recipeTag]);
  for (const { id } of targets) tags.add(`@${id.replace(/\s+/g, '-')}`);
  return [...tags];
}

/** The catalogs, library recipes and manifests that it calls. */
function otherFiles({ compiled: { recipe, origin, sourceFiles = [] }, document }: LoadedRecipe): string[] {
  if (recipe.flows.size === 0 && sourceFiles.length === 0) return [];
  const foreign = [...recipe.flows.values()].filter(({ catalog, fromRecipe }) => catalog !== undefined || fromRecipe);
  return [...new Set([...foreign.map(({ pointer }) => origin(pointer).file), ...sourceFiles])].filter(
    (file) => file !== document.file,
  );
}
