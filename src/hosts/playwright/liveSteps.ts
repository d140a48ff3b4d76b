// The journals of recipes on their way, as Playwright tells of one step after the other.
import type { TestCase, TestResult, TestStep } from '@playwright/test/reporter';
import { LiveRuns } from '../../evidence/liveRuns.js';
import { bytesOf, recipeSent } from './readResult.js';
import { wire } from './wire.js';

/** `nameFor`: what the package of a test is going to be called; undefined for a test that is no recipe, whatever it runs inside. */
export class LiveSteps {
  private readonly runs: LiveRuns;
  private readonly names = new WeakMap<TestCase, { name: string | undefined }>();

  constructor(
    outputDir: string,
    private readonly nameFor: (test: TestCase) => string | undefined,
  ) {
    this.runs = new LiveRuns(outputDir);
  }

  began(test: TestCase, result: TestResult, step: TestStep): void {
    const line = step.params?.[wire.begin] as unknown;
    if (typeof line === 'string') this.see(test, result, line);
  }

  ended(test: TestCase, result: TestResult, step: TestStep): void {
    for (const { type, description = '' } of step.annotations) if (type === wire.end) this.see(test, result, description);
    for (const sent of step.attachments) if (sent.name === wire.end) this.see(test, result, bytesOf(sent)?.toString() ?? '');
  }

  over(name: string): void {
    this.runs.end(name);
  }

  allOver(): void {
    this.runs.endAll();
  }

  private see(test: TestCase, result: TestResult, line: string): void {
    const name = this.nameOf(test);
    if (name !== undefined) this.runs.addLine(name, line, () => recipeSent(result));
  }

  private nameOf(test: TestCase): string | undefined {
    const known = this.names.get(test);
    if (known) return known.name;
    const name = this.nameFor(test);
    this.names.set(test, { name });
    return name;
  }
}
