// The code of the review page is loaded while the first tests run. What needs it earlier waits, afterwards it is done at once.
import type { PackageParts } from '../evidence/package.js';

type OpenReview = NonNullable<PackageParts['review']>;
type Work = (openReview: OpenReview) => void;

export class ReviewWhenLoaded {
  private open: OpenReview | undefined;
  private readonly waiting: Work[] = [];
  private loading: Promise<void> | undefined;

  load(): void {
    this.loading ??= this.loadNow();
    // Whoever asks at the end is told.
    this.loading.catch(() => undefined);
  }

  /** @throws what kept the code from being loaded */
  async allDone(): Promise<void> {
    await this.loading;
  }

  use(work: Work): void {
    if (this.open) work(this.open);
    else this.waiting.push(work);
    this.load();
  }

  private async loadNow(): Promise<void> {
    const { openReview } = await import('../review/page/reviewPage.js');
    this.open = openReview;
    for (const work of this.waiting.splice(0)) work(openReview);
  }
}
