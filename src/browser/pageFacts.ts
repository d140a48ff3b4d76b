// What can be said of a page beside its picture: which one it is, and that it is one at all.
import type { Page } from '@playwright/test';
import { RecipeError } from '../evidence/recipeError.js';
import { sha256 } from '../system/files/files.js';
import type { RunPages } from './runPages.js';

type PageFacts = {
  /** Names the page among those of the run. */
  id: string;
  url: string;
  title: string;
  viewport: { width: number; height: number };
  /** Of the text it shows. */
  hash: string;
};

/** `status`: what the server said when it sent the page. `hasPassword`: it has a field for one, if only in an open shadow root. */
export type PageState = PageFacts & { status: number; hasPassword: boolean };

type RawPageFacts = {
  url: string;
  title: string;
  viewport: { width: number; height: number };
  text: string;
  status: number;
  hasPassword: boolean;
};

/** Longer texts differ in their beginning, or do not differ to a reader. */
export const maxTextLength = 200_000;

/** Runs in the page. */
export const readPageFacts = (most: number): RawPageFacts => {
  const { document, location, innerWidth, innerHeight } = globalThis as unknown as FactsWindow;
  const statusOf = (): number => {
    try {
      return (globalThis as unknown as FactsWindow).performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0;
    } catch {
      // Hardened pages take such globals away, and throw whatever they like when one is asked for.
      return 0;
    }
  };
  const hasPasswordField = (root: QueryRoot): boolean =>
    root.querySelector('input[type=password i]') !== null ||
    [...root.querySelectorAll('*')].some(({ shadowRoot }) => (shadowRoot ? hasPasswordField(shadowRoot) : false));
  const hasPassword = (): boolean => {
    try {
      return hasPasswordField(document);
    } catch {
      // Pages give such names to elements and properties of their own: who cannot be asked may have one.
      return true;
    }
  };
  return {
    url: location.href,
    title: document.title,
    viewport: { width: innerWidth, height: innerHeight },
    text: (document.body?.innerText ?? '').slice(0, most),
    status: statusOf(),
    hasPassword: hasPassword(),
  };
};

type QueryRoot = {
  querySelector(selector: string): object | null;
  querySelectorAll(selector: string): Iterable<{ shadowRoot?: QueryRoot | null }>;
};

type FactsWindow = {
  document: QueryRoot & { title: string; body: { innerText?: string } | null };
  location: { href: string };
  innerWidth: number;
  innerHeight: number;
  performance: { getEntriesByType(type: string): { responseStatus?: number }[] };
};

export function toPageState(stage: RunPages, page: Page, { text, ...raw }: RawPageFacts): PageState {
  return { id: stage.idOf(page), ...raw, hash: sha256(`${raw.url}\n${raw.title}\n${text}`) };
}

/** Refuses what is no page of the product, by its address. */
export function refuseBlankPage(url: string, purpose: string): void {
  if (!/^(about:|chrome-error:|chrome:|edge-error:|data:|view-source:|$)/i.test(url)) return;
  const message = `There is no page of the product to ${purpose}: the browser shows ${url || 'nothing'}. Open one with ui.navigate first, and see that the address answers.`;
  throw new RecipeError('ui.no_page', 'action', message);
}

/** Refuses the page a server sends in place of what was asked for. */
export function refuseErrorPage({ url, title, status }: PageState, purpose: string): void {
  refuseBlankPage(url, purpose);
  if (status < 400) return;
  const message = `${url} is an error page (HTTP ${status}, ${JSON.stringify(title)}), which is nothing to ${purpose}. See why the server does not send the page.`;
  throw new RecipeError('ui.no_page', 'action', message);
}

const navigationErrors = /Execution context was destroyed|Cannot find context|because of a navigation/i;

/** Whether it failed only because the page it was asked of is not there any more. */
export function isNavigationError(thrown: unknown): boolean {
  return thrown instanceof Error && navigationErrors.test(thrown.message);
}
