import type { FullConfig, Suite } from '@playwright/test/reporter';
import { expect, test } from 'vitest';
import { ReporterV2 } from '../../../../../src/hosts/playwright/internals/reporterV2.js';

const config = { version: '1.65.0' } as FullConfig;
const suite = { title: 'suite' } as Suite;

class RecordingReporter extends ReporterV2 {
  readonly calls: unknown[] = [];

  onConfigure(config: FullConfig): void {
    this.calls.push(config);
  }

  onReportConfigure(): void {}

  protected begin(suite: Suite): void {
    this.calls.push(suite);
  }
}

test('a reporter gets its config and then its suite from every version of Playwright', () => {
  const reporter = new RecordingReporter({});
  reporter.onConfigure(config);
  reporter.onBegin(suite);
  const publicReporter = new RecordingReporter({});
  publicReporter.onBegin(config, suite);
  expect([reporter.calls, publicReporter.calls]).toEqual([
    [config, suite],
    [config, suite],
  ]);
});
