// Nodes as Vitest shows them: annotations while they run, a list in the message of a test that failed.
import type { TestContext } from 'vitest';
import type { Place } from '../../document/finding.js';
import type { StepInfo } from '../../run/host.js';
import { wire } from './wire.js';

export class Steps {
  /** One line per node that ended, in order. */
  readonly shown: string[] = [];
  readonly failed: { place: Place; subtitle: string }[] = [];

  constructor(private readonly context: TestContext) {}

  begins({ title, skip }: StepInfo): void {
    // A test that was cancelled takes none any more.
    if (this.context.signal.aborted) return;
    // Nobody waits for it here: Vitest does, at the end of the test.
    void this.context.annotate(skip === undefined ? title : `${title} (skipped: ${skip})`, wire.node);
  }

  ends({ title, subtitle, place, skip }: StepInfo, failure: unknown): void {
    const mark = skip !== undefined ? '-' : failure === undefined ? '✓' : '✗';
    this.shown.push(`${mark} ${title} (${subtitle})`);
    if (failure !== undefined) this.failed.push({ place, subtitle });
  }
}
