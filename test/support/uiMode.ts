// Opens Playwright's UI mode, served by the real command line, in a browser.
import type { Page } from '@playwright/test';
import { startChromium } from './chromium.js';
import { eventMs } from './patience.js';
import { runPlaywright } from './runPlaywright.js';

export type UiMode = {
  page: Page;
  /** Shows the tests of another project. UI mode first shows only the tests of the first project. */
  show(project: string): Promise<void>;
  /** Closes the browser. The server ends with the test. */
  close(): Promise<void>;
};

export async function openUiMode(cwd: string): Promise<UiMode> {
  const url = await serve(cwd);
  const browser = await startChromium();
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(eventMs);
  await page.goto(url);
  const show = async (project: string): Promise<void> => {
    await page.getByTestId('test-tree').getByRole('treeitem').first().waitFor();
    await page.getByText('Projects:').click();
    await page.getByRole('checkbox', { name: project }).check();
    await page.getByTestId('test-tree').getByText(project, { exact: true }).waitFor();
    await page.getByTitle('Expand all').click();
  };
  return { page, show, close: () => browser.close() };
}

function serve(cwd: string): Promise<string> {
  // Without this variable, UI mode would open its own browser.
  const env = { PWTEST_UNDER_TEST: '1' };
  return new Promise((resolve, reject) => {
    const hears = (stdout: string): void => {
      const [, url] = /Listening on (http:\S+)/.exec(stdout) ?? [];
      if (url !== undefined) resolve(url);
    };
    const ended = runPlaywright(['test', '--ui-host=127.0.0.1', '--ui-port=0'], { cwd, env, hears });
    ended.then((result) => reject(new Error(`UI mode ended unexpectedly: ${JSON.stringify(result)}`)), reject);
  });
}
