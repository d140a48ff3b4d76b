// The reviewer's side of a suite, for reporters: a page for every package, then one over all of them.
import type { PackageParts } from '../../evidence/package.js';
import type { Coverage } from '../../evidence/suiteCoverage.js';
import { openReview } from '../page/reviewPage.js';
import { writeAttemptsPage } from './attemptsPage.js';
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
          return review.page(facts);
        },
      };
    };
  }

  coverage(): Coverage {
    return this.seen.told();
  }
}
