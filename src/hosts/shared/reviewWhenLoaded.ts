// Loads the code of the review pages while the first tests run. Work that needs this code waits until it is loaded.
import type { SuiteView } from '../../evidence/suiteIndex.js';
import { suitePage } from '../../review/suite/suitePage.js';
import type { SuiteReview } from '../../review/suite/suiteReview.js';

type Work = (review: SuiteReview) => void;

export class ReviewWhenLoaded {
  private loaded: SuiteReview | undefined;
  private readonly waiting: Work[] = [];
  private loading: Promise<void> | undefined;

  load(): void {
    this.loading ??= this.loadNow();
    // waitUntilDone() throws the error.
    this.loading.catch(() => undefined);
  }

  get isLoaded(): boolean {
    return this.loaded !== undefined;
  }

  /** @throws when the code cannot be loaded */
  async waitUntilDone(): Promise<void> {
    await this.loading;
  }

  use(work: Work): void {
    if (this.loaded) work(this.loaded);
    else this.waiting.push(work);
    this.load();
  }

  /** Creates the view of an index. `documents`: the documents that its packages come from. */
  createView(documents: readonly string[]): SuiteView {
    if (!this.loaded) return { page: suitePage };
    return { page: suitePage, coverage: this.loaded.coverage(documents), attempts: this.loaded.attempts };
  }

  private async loadNow(): Promise<void> {
    const { SuiteReview } = await import('../../review/suite/suiteReview.js');
    this.loaded = new SuiteReview();
    for (const work of this.waiting.splice(0)) work(this.loaded);
  }
}
