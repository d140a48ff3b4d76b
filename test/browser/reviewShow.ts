// Opens a review page from disk, with one picture beside it, and writes down everything that it does unasked.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from '@playwright/test';
import { onTestFinished } from 'vitest';
import { freshPage } from '../support/chromium.js';

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** `said`: on the console, in dialogs, and what it asked for outside of its directory. */
export type Shown = { page: Page; said: string[] };

export async function showReview(browser: Browser, html: string): Promise<Shown> {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  mkdirSync(join(dir, 'screenshots'));
  writeFileSync(join(dir, 'screenshots/price.png'), pixel);
  writeFileSync(join(dir, 'review.html'), html);
  const page = await freshPage(browser);
  onTestFinished(async () => {
    await page.context().close();
    rmSync(dir, { recursive: true });
  });
  const said = listen(page, pathToFileURL(dir).href);
  await page.goto(pathToFileURL(join(dir, 'review.html')).href);
  return { page, said };
}

function listen(page: Page, home: string): string[] {
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  page.on('dialog', (dialog) => {
    said.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(home)) said.push(`asked for ${request.url()}`);
  });
  return said;
}
