// The catalog of the project that has a flow.
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { readDocumentFile } from '../../check/readDocumentFile.js';
import { didYouMean } from '../../document/didYouMean.js';
import type { Document } from '../../document/readDocument.js';
import { flowCatalog } from '../../formats/classic/catalog.js';
import { catalogFlows } from '../../formats/classic/catalogExample.js';
import { findFiles } from '../../system/files/files.js';
import type { RecipeHost } from './recipeHost.js';

/** @throws when no catalog has it, or more than one */
export function findFlow(flow: string, { project: { projectRoot }, loadOptions }: RecipeHost): Document {
  const files = findFiles(projectRoot, ['**/*.flows.json'], createRequire(import.meta.url));
  const documents = files.flatMap((file) => readDocumentFile(file, loadOptions(file).limits).document ?? []);
  const catalogs = documents.filter((document) => flowCatalog.detect(document));
  const having = catalogs.filter((document) => Object.hasOwn(catalogFlows(document) ?? {}, flow));
  const [found, another] = having;
  if (found && !another) return found;
  const named = JSON.stringify(flow);
  const names = having.map(({ file }) => relative(projectRoot, file)).join(', ');
  if (found) throw new Error(`More than one catalog has the flow ${named}: ${names}. Rename it in one of them.`);
  const known = catalogs.flatMap((document) => Object.keys(catalogFlows(document) ?? {}));
  const looked = `${files.length} flow catalogs (*.flows.json) below ${projectRoot}`;
  throw new Error(`None of the ${looked} has the flow ${named}. ${didYouMean(flow, known)}`);
}
