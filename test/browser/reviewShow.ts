// Opens a review page from disk, with one screenshot, and collects its messages and outside requests.
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

/** `messages`: of the console, of dialogs, and the requests that leave the directory of the page. */
export type OpenReview = { page: Page; messages: string[] };

export async function showReview(browser: Browser, html: string): Promise<OpenReview> {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  mkdirSync(join(dir, 'screenshots'));
  writeFileSync(join(dir, 'screenshots/price.png'), pixel);
  writeFileSync(join(dir, 'review.html'), html);
  const page = await freshPage(browser);
  onTestFinished(async () => {
    await page.context().close();
    rmSync(dir, { recursive: true });
  });
  const messages = listen(page, pathToFileURL(dir).href);
  await page.goto(pathToFileURL(join(dir, 'review.html')).href);
  return { page, messages };
}

function listen(page: Page, home: string): string[] {
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(error.message));
  page.on('dialog', (dialog) => {
    messages.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(home)) messages.push(`requested ${request.url()}`);
  });
  return messages;
}
