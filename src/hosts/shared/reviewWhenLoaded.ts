// The code of the review page is loaded while the first tests run. What needs it earlier waits, afterwards it is done at once.
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
    // Whoever asks at the end is told.
    this.loading.catch(() => undefined);
  }

  get isLoaded(): boolean {
    return this.loaded !== undefined;
  }

  /** @throws what kept the code from being loaded */
  async waitUntilDone(): Promise<void> {
    await this.loading;
  }

  use(work: Work): void {
    if (this.loaded) work(this.loaded);
    else this.waiting.push(work);
    this.load();
  }

  /** For the index over all packages, which are made from these documents. */
  createView(documents: readonly string[]): SuiteView {
    const { loaded } = this;
    const more = loaded ? { coverage: loaded.coverage(documents), attempts: loaded.attempts } : {};
    return { page: suitePage, ...more };
  }

  private async loadNow(): Promise<void> {
    const { SuiteReview } = await import('../../review/suite/suiteReview.js');
    this.loaded = new SuiteReview();
    for (const work of this.waiting.splice(0)) work(this.loaded);
  }
}
