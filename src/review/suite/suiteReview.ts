// Renders the review pages of a suite for the reporters: one for every package, and one for the whole suite.

import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { readDocumentFile } from '../../check/readDocumentFile.js';
import type { Coverage } from '../../evidence/suite.js';
import type { PackageParts } from '../../evidence/writePackage.js';
import { flowCatalog } from '../../formats/classic/catalog.js';
import { listLibraryIds, taskLocalLibrary } from '../../formats/modern/library.js';
import { openReview } from '../../pages/review/reviewPage.js';
import { findFiles, listFilesBelow, readPathKind } from '../../system/files/files.js';
import { CoverageCollector } from './coverageCollector.js';
import { writeAttemptsPage } from './renderAttemptsPage.js';
import { suitePage } from './suitePage.js';

export class SuiteReview {
  private readonly collector = new CoverageCollector();
  readonly page = suitePage;
  readonly attempts = writeAttemptsPage;

  /** Returns what `writePackage` needs to render the page of the package `name`. */
  open(name: string): NonNullable<PackageParts['review']> {
    return (recipe) => {
      const review = openReview(recipe);
      return {
        addEntry: review.addEntry,
        renderPage: (facts) => {
          this.collector.addRun(name, review.runGraph());
          this.collector.declare(recipe);
          return review.renderPage(facts);
        },
      };
    };
  }

  /** Adds the actions of the project by their names. */
  declareActions(names: readonly string[]): void {
    this.collector.declareActions(names);
  }

  /** Returns the coverage of all runs so far. `documents`: the files of all recipes and catalogs of the suite. */
  coverage(documents: readonly string[] = []): Coverage {
    const { catalogs, libraryRecipes } = findCatalogsBeside(documents);
    for (const catalog of catalogs) this.collector.declare(catalog);
    this.collector.declareFlows(libraryRecipes);
    return this.collector.result();
  }
}

/**
 * Finds the flow catalogs and recipe libraries beside the documents of a suite. `libraryRecipes` are ids. Folders that do not exist
 * on this machine are skipped, because the suite may come from another machine.
 */
function findCatalogsBeside(documents: readonly string[]): { catalogs: object[]; libraryRecipes: string[] } {
  const folders = [...new Set(documents.map((file) => dirname(file)))].filter((folder) => readPathKind(folder) === 'directory');
  const outermost = folders.filter((folder) => !folders.some((other) => folder.startsWith(`${other}${sep}`)));
  const files = outermost.flatMap((folder) => findFiles(folder, ['**/*.flows.json'], createRequire(import.meta.url)));
  const documentsFound = files.flatMap((file) => readDocumentFile(file).document ?? []);
  const catalogs = documentsFound.filter((document) => flowCatalog.detect(document)).map(({ value }) => value as object);
  return { catalogs, libraryRecipes: folders.flatMap(libraryRecipeIds) };
}

function libraryRecipeIds(folder: string): string[] {
  const root = join(folder, taskLocalLibrary.folder);
  const files = listFilesBelow(join(root, 'recipes')).map((file) => join('recipes', file));
  return [...listLibraryIds({ name: taskLocalLibrary.name, root, files }).ids.keys()];
}
