// The recipe that a native test names: from where the test lies, from the root of the project, or by the end of its path.
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
import { defaultRecipePatterns, type HostProject, type RecipeValues } from './hostProject.js';
import { type NestedRunRequest, NestedRuns } from './nestedRuns.js';
import type { ProjectContext, RecipeFixture } from './projectContext.js';
import { findProjectContext } from './projectRegistry.js';
import { createInvalidError } from './recipeErrors.js';

/**
 * `folder` is where the test lies.
 * @throws when there is no such file, or the end of a path is that of several
 */
export function findRecipe(name: string, folder: string, { projectRoot, config }: HostProject): string {
  const folders = [folder, projectRoot];
  const existing = folders.map((place) => resolve(place, name)).find(isFile);
  if (existing !== undefined) return existing;
  const quotedName = JSON.stringify(name);
  const missing = `There is no recipe ${quotedName} in ${folders.join(' or in ')}`;
  // A path that says where it begins means that file and no other.
  if (isAbsolute(name) || /^\.{1,2}[\\/]/.test(name)) throw new Error(`${missing}.`);
  const patterns = [...defaultRecipePatterns.filter((pattern) => !pattern.includes('.flows.')), ...[config.recipes ?? []].flat()];
  const files = findFiles(projectRoot, patterns, createRequire(import.meta.url));
  const paths = files.map((file) => relative(projectRoot, file).replaceAll('\\', '/'));
  const matches = paths.filter((path) => path.endsWith(`/${name}`));
  const [found] = matches;
  if (found !== undefined && matches.length === 1) return resolve(projectRoot, found);
  if (found !== undefined)
    throw new Error(
      `${missing}, and ${matches.length} recipes of the project end with it: ${matches.join(', ')}. Say more of the path.`,
    );
  const parts = name.split('/').length;
  const knownNames = [...new Set(paths.map((path) => path.split('/').slice(-parts).join('/')))];
  throw new Error(`${missing}, and no recipe of the project ends with it. ${didYouMean(name, knownNames)}`);
}

// The catalog of the project that has a flow.

/** @throws when no catalog has it, or more than one */
export function findFlow(flow: string, { project: { projectRoot }, loadOptions }: ProjectContext): Document {
  const files = findFiles(projectRoot, ['**/*.flows.json'], createRequire(import.meta.url));
  const documents = files.flatMap((file) => readDocumentFile(file, loadOptions(file).limits).document ?? []);
  const catalogs = documents.filter((document) => flowCatalog.detect(document));
  const matches = catalogs.filter((document) => Object.hasOwn(catalogFlows(document) ?? {}, flow));
  const [found, another] = matches;
  if (found && !another) return found;
  const quotedName = JSON.stringify(flow);
  const names = matches.map(({ file }) => relative(projectRoot, file)).join(', ');
  if (found) throw new Error(`More than one catalog has the flow ${quotedName}: ${names}. Rename it in one of them.`);
  const known = catalogs.flatMap((document) => Object.keys(catalogFlows(document) ?? {}));
  const searched = `${files.length} flow catalogs (*.flows.json) below ${projectRoot}`;
  throw new Error(`None of the ${searched} has the flow ${quotedName}. ${didYouMean(flow, known)}`);
}
export function createRecipeFixture(values: RecipeValues, testInfo: TestInfo): { recipe: RecipeFixture; close(): Promise<void> } {
  const runs = new NestedRuns(testInfo, values);
  const recipe: RecipeFixture = {
    run: (file, { inputs, answers, fixtures = {} } = {}) =>
      runs.start({ method: 'run', name: file }, async () => {
        const host = await findProjectContext(testInfo);
        const found = findRecipe(file, dirname(testInfo.file), host.project);
        const id = recipeId(found, host.project.projectRoot);
        return { host, id, inputs, answers, fixtures, ...requireLoaded(id, loadRecipe(found, host.loadOptions(found))) };
      }),
    call(flow, params = {}, fixtures = {}) {
      let outputs: Readonly<Record<string, unknown>> = {};
      const see = (text: string): void => {
        const line = JSON.parse(text) as JournalLine;
        if (line.t === 'end' && line.path === firstCall) outputs = (line.output as { outputs?: typeof outputs })?.outputs ?? {};
      };
      const verdict = runs.start({ method: 'call', name: flow }, async () => {
        const host = await findProjectContext(testInfo);
        const document = findFlow(flow, host);
        const catalog = recipeId(document.file, host.project.projectRoot).replace(/\.json$/, '');
        const id = `${catalog}/${encodeURIComponent(flow)}`;
        const load = loadCall({ document, flow, params }, host.loadOptions(document.file));
        return { host, id, fixtures, see, ...requireLoaded(flow, load) };
      });
      const outputsOfCall = verdict.then(() => outputs);
      // The end of the test reports an error that nobody listens to.
      outputsOfCall.catch(() => undefined);
      return outputsOfCall;
    },
  };
  return { recipe, close: () => runs.close() };
}
export function requireLoaded(name: string, { loaded, findings, text }: LoadResult): Pick<NestedRunRequest, 'loaded' | 'title'> {
  if (loaded) return { loaded, title: `Run ${name}` };
  throw createInvalidError({ what: name, place: findings[0]?.place }, findings, text);
}
