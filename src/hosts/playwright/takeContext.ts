// Popups, dialogs and errors come from a whole browser context: of two recipes in one, neither could say what is its own.
import type { BrowserContext } from '@playwright/test';

const running = new WeakMap<BrowserContext, string>();

/**
 * The function it gives lets the next one in.
 * @throws while another recipe runs there
 */
export function takeContext(context: BrowserContext, id: string): () => void {
  const other = running.get(context);
  if (other !== undefined) {
    const together = `${id} cannot run while ${other} does: their pages are of the same browser context, so each would see what the other one did.`;
    throw new Error(
      `${together} Await the first one, or give each a page of its own context: (await browser.newContext()).newPage().`,
    );
  }
  running.set(context, id);
  return () => running.delete(context);
}
