// The interface of Playwright's own reporters. Unlike public reporters, they receive each report of a merge and the mode of the run.
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/reporters/reporterV2.ts
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/runner/reporters.ts (reporterCommandOptions)
// A Playwright without this interface calls the public onBegin(config, suite). Then a merge does not notice missing shards.
import type { FullConfig, Reporter, Suite } from '@playwright/test/reporter';

/** Options that Playwright adds to those of the config. */
export type HostOptions = { configDir?: string; _mode?: string };

export abstract class ReporterV2 implements Reporter {
  protected readonly isListing: boolean;
  protected readonly isMerging: boolean;
  protected readonly configDir: string;

  constructor({ configDir = process.cwd(), _mode }: HostOptions) {
    this.isListing = _mode === 'list';
    this.isMerging = _mode === 'merge';
    this.configDir = configDir;
  }

  version(): 'v2' {
    return 'v2';
  }

  abstract onConfigure(config: FullConfig): void;

  /** Called for each report of a merge. */
  abstract onReportConfigure(report: { config: FullConfig }): void;

  /** Called once when the tests are known. */
  protected abstract begin(suite: Suite): void;

  onBegin(configOrSuite: FullConfig | Suite, suite?: Suite): void {
    if (suite) this.onConfigure(configOrSuite as FullConfig);
    this.begin(suite ?? (configOrSuite as Suite));
  }
}
