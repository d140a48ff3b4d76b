// The reviewer's side of a suite, for reporters: a page for every package, then one over all of them.
import type { PackageParts } from '../../evidence/package.js';
import type { Coverage } from '../../evidence/suiteCoverage.js';
import { openReview } from '../../pages/review/reviewPage.js';
import { writeAttemptsPage } from './attemptsPage.js';
import { catalogsBeside } from './catalogsBeside.js';
import { SuiteCoverage } from './coverage.js';
import { suitePage } from './suitePage.js';

export class SuiteReview {
  private readonly seen = new SuiteCoverage();
  readonly page = suitePage;
  readonly attempts = writeAttemptsPage;

  /** For the package of this name. */
  open(name: string): NonNullable<PackageParts['review']> {
    return (recipe) => {
      const review = openReview(recipe);
      return {
        see: review.see,
        page: (facts) => {
          this.seen.see(name, review.way());
          this.seen.declare(recipe);
          return review.page(facts);
        },
      };
    };
  }

  /** The names of the project's own actions. */
  declareActions(names: readonly string[]): void {
    this.seen.declareActions(names);
  }

  /** `documents`: the files of all recipes and catalogs of the suite. */
  coverage(documents: readonly string[] = []): Coverage {
    const { catalogs, libraryRecipes } = catalogsBeside(documents);
    for (const catalog of catalogs) this.seen.declare(catalog);
    this.seen.declareFlows(libraryRecipes);
    return this.seen.told();
  }
}
