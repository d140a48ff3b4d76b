// Whether a page that was given a secret came back with its form and an error: the credentials were rejected, not the step.
import type { Page } from '@playwright/test';
import { inPage } from '../../browser/inPage.js';
import type { Call } from '../action.js';

/** What the page says; undefined when it does not look like a rejected login. */
export async function rejectedLogin(page: Page, call: Call): Promise<string | undefined> {
  // A page that does not answer says nothing about credentials.
  return inPage(call, page, { run: errorBesideForm, given: undefined }).catch(() => undefined);
}

/** Runs in the page. */
const errorBesideForm = (): string | undefined => {
  type Item = { innerText?: string; checkVisibility(options: object): boolean };
  const { document } = globalThis as unknown as { document: { querySelectorAll(selector: string): Iterable<Item> } };
  const shown = (selector: string): Item[] =>
    [...document.querySelectorAll(selector)].filter((item) =>
      item.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    );
  if (shown('input[type=password]').length === 0) return undefined;
  const blames =
    /\b(invalid|incorrect|wrong|not match|no match|does ?n.t match|unknown|failed|denied|rejected|not recogni[sz]ed|try again|locked|expired)\b/i;
  const about = /\b(password|passcode|credential|e-?mail|user(name)?|account|log ?in|sign ?in|combination)/i;
  const areas = shown(
    '[role=alert],[aria-live=assertive],[aria-live=polite],[class*=error i],[class*=alert i],[id*=error i],form',
  );
  for (const { innerText = '' } of areas) {
    const line = innerText.split('\n').find((each) => blames.test(each) && about.test(each));
    if (line !== undefined) return line.trim().slice(0, 200);
  }
  const alerts = shown('[role=alert]').map(({ innerText = '' }) => innerText.trim());
  const isMarked = shown('input[aria-invalid=true]').length > 0;
  return isMarked && alerts.some((text) => text !== '') ? alerts.find((text) => text !== '')?.slice(0, 200) : undefined;
};
