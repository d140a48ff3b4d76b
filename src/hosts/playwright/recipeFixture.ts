// The fixture `recipe`: finds the recipe or flow that a native test names, and runs it as a step.
import { createRequire } from 'node:module';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type { TestInfo } from '@playwright/test';
import { loadCall } from '../../check/loadCatalog.js';
import { type LoadResult, loadRecipe } from '../../check/loadRecipe.js';
import { readDocumentFile } from '../../check/readDocumentFile.js';
import { didYouMean } from '../../document/didYouMean.js';
import type { Document } from '../../document/readDocument.js';
import type { JournalLine } from '../../evidence/journal.js';
import { recipeId } from '../../evidence/runIdentity.js';
import { flowCatalog } from '../../formats/classic/catalog.js';
import { catalogFlows, firstCall } from '../../formats/classic/catalogExample.js';
import { findFiles, isFile } from '../../system/files/files.js';
import { createFlowId, toCatalogId } from '../shared/declaredTests.js';
import { defaultRecipePatterns, type HostProject, type RecipeValues } from './hostProject.js';
import { type NestedRunRequest, NestedRuns } from './nestedRuns.js';
import type { ProjectContext, RecipeFixture } from './projectContext.js';
import { findProjectContext } from './projectRegistry.js';
import { createInvalidError } from './recipeErrors.js';

/**
 * Finds a recipe by its path relative to `folder` (the folder of the test) or to the project root, or by the end of its path.
 * @throws when no recipe matches, or several do
 */
function findRecipe(name: string, folder: string, { projectRoot, config }: HostProject): string {
  const folders = [folder, projectRoot];
  const existing = folders.map((parent) => resolve(parent, name)).find(isFile);
  if (existing !== undefined) return existing;
  const quotedName = JSON.stringify(name);
  const missing = `There is no recipe ${quotedName} in ${folders.join(' or in ')}`;
  // An absolute path, or one that begins with a dot, can match only one file.
  if (isAbsolute(name) || /^\.{1,2}[\\/]/.test(name)) throw new Error(`${missing}.`);
  const patterns = [...defaultRecipePatterns.filter((pattern) => !pattern.includes('.flows.')), ...[config.recipes ?? []].flat()];
  const files = findFiles(projectRoot, patterns, createRequire(import.meta.url));
  const paths = files.map((file) => relative(projectRoot, file).replaceAll('\\', '/'));
  const matches = paths.filter((path) => path.endsWith(`/${name}`));
  const [match] = matches;
  if (match !== undefined && matches.length === 1) return resolve(projectRoot, match);
  if (match !== undefined)
    throw new Error(
      `${missing}, and the paths of ${matches.length} recipes end with ${quotedName}: ${matches.join(', ')}. Use a longer part of the path.`,
    );
  const parts = name.split('/').length;
  const knownNames = [...new Set(paths.map((path) => path.split('/').slice(-parts).join('/')))];
  throw new Error(`${missing}, and no path of a recipe in the project ends with ${quotedName}. ${didYouMean(name, knownNames)}`);
}

/**
 * Finds the catalog of the project that has a flow.
 * @throws when no catalog has the flow, or more than one has
 */
function findFlow(flow: string, { project: { projectRoot }, loadOptions }: ProjectContext): Document {
  const files = findFiles(projectRoot, ['**/*.flows.json'], createRequire(import.meta.url));
  const documents = files.flatMap((file) => readDocumentFile(file, loadOptions(file).limits).document ?? []);
  const catalogs = documents.filter((document) => flowCatalog.detect(document));
  const matches = catalogs.filter((document) => Object.hasOwn(catalogFlows(document) ?? {}, flow));
  const [match, another] = matches;
  if (match && !another) return match;
  const quotedName = JSON.stringify(flow);
  const names = matches.map(({ file }) => relative(projectRoot, file)).join(', ');
  if (match) throw new Error(`More than one catalog has the flow ${quotedName}: ${names}. Rename the flow in one of them.`);
  const knownFlows = catalogs.flatMap((document) => Object.keys(catalogFlows(document) ?? {}));
  const searched = `${files.length} flow catalogs (*.flows.json) below ${projectRoot}`;
  throw new Error(`None of the ${searched} has the flow ${quotedName}. ${didYouMean(flow, knownFlows)}`);
}

export function createRecipeFixture(values: RecipeValues, testInfo: TestInfo): { recipe: RecipeFixture; close(): Promise<void> } {
  const runs = new NestedRuns(testInfo, values);
  const recipe: RecipeFixture = {
    run: (file, { inputs, answers, fixtures = {} } = {}) =>
      runs.start({ method: 'run', name: file }, async () => {
        const context = await findProjectContext(testInfo);
        const path = findRecipe(file, dirname(testInfo.file), context.project);
        const id = recipeId(path, context.project.projectRoot);
        const loaded = requireLoaded(id, loadRecipe(path, context.loadOptions(path)));
        return { context, id, inputs, answers, fixtures, ...loaded };
      }),
    call(flow, params = {}, fixtures = {}) {
      let outputs: Readonly<Record<string, unknown>> = {};
      const onJournalLine = (text: string): void => {
        const line = JSON.parse(text) as JournalLine;
        if (line.t === 'end' && line.path === firstCall) outputs = (line.output as { outputs?: typeof outputs })?.outputs ?? {};
      };
      const verdict = runs.start({ method: 'call', name: flow }, async () => {
        const context = await findProjectContext(testInfo);
        const document = findFlow(flow, context);
        const id = createFlowId(toCatalogId(document.file, context.project.projectRoot), flow);
        const load = loadCall({ document, flow, params }, context.loadOptions(document.file));
        return { context, id, fixtures, onJournalLine, ...requireLoaded(flow, load) };
      });
      const outputsOfCall = verdict.then(() => outputs);
      // If the test does not handle the error, the end of the test reports it.
      outputsOfCall.catch(() => undefined);
      return outputsOfCall;
    },
  };
  return { recipe, close: () => runs.close() };
}

function requireLoaded(name: string, { loaded, findings, text }: LoadResult): Pick<NestedRunRequest, 'loaded' | 'title'> {
  if (loaded) return { loaded, title: `Run ${name}` };
  throw createInvalidError({ subject: name, place: findings[0]?.place }, findings, text);
}
