// Collects the journal lines of running recipes from the steps that Playwright reports.
import type { TestCase, TestResult, TestStep } from '@playwright/test/reporter';
import { LiveRuns } from '../../evidence/liveRuns.js';
import { findSentRecipe, readAttachmentBytes } from './readTestResult.js';
import { protocolNames } from './reporterProtocol.js';

export class LiveSteps {
  private readonly runs: LiveRuns;
  private readonly names = new WeakMap<TestCase, { name: string | undefined }>();

  constructor(
    outputDir: string,
    /** Returns undefined for a test that is not a recipe, even if the test runs recipes. */
    private readonly findPackageName: (test: TestCase) => string | undefined,
  ) {
    this.runs = new LiveRuns(outputDir);
  }

  onStepBegin(test: TestCase, result: TestResult, step: TestStep): void {
    const line = step.params?.[protocolNames.begin] as unknown;
    if (typeof line === 'string') this.addLine(test, result, line);
  }

  onStepEnd(test: TestCase, result: TestResult, step: TestStep): void {
    for (const { type, description = '' } of step.annotations)
      if (type === protocolNames.end) this.addLine(test, result, description);
    for (const attachment of step.attachments)
      if (attachment.name === protocolNames.end) this.addLine(test, result, readAttachmentBytes(attachment)?.toString() ?? '');
  }

  endPackage(name: string): void {
    this.runs.end(name);
  }

  endAll(): void {
    this.runs.endAll();
  }

  private addLine(test: TestCase, result: TestResult, line: string): void {
    const name = this.getPackageName(test);
    if (name !== undefined) this.runs.addLine(name, line, () => findSentRecipe(result));
  }

  private getPackageName(test: TestCase): string | undefined {
    const cached = this.names.get(test);
    if (cached) return cached.name;
    const name = this.findPackageName(test);
    this.names.set(test, { name });
    return name;
  }
}
