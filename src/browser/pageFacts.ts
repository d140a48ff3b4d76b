// Reads the identity and state of a page, and refuses blank and error pages.
import type { Page } from '@playwright/test';
import { RecipeError } from '../evidence/recipeError.js';
import { sha256 } from '../system/files/files.js';
import type { RunPages } from './runPages.js';

type PageFacts = {
  /** Such as `page-1`; unique within the run. */
  id: string;
  url: string;
  title: string;
  viewport: { width: number; height: number };
  /** Of URL, title and visible text. */
  hash: string;
};

/** `status`: the HTTP status of the page. `hasPassword`: it has a password field, open shadow roots included. */
export type PageState = PageFacts & { status: number; hasPassword: boolean };

type RawPageFacts = {
  url: string;
  title: string;
  viewport: { width: number; height: number };
  text: string;
  status: number;
  hasPassword: boolean;
};

/** Only this much of the visible text is part of the hash. */
export const maxTextLength = 200_000;

/** Runs in the page. */
export const readPageFacts = (maxLength: number): RawPageFacts => {
  const { document, location, innerWidth, innerHeight } = globalThis as unknown as FactsWindow;
  const statusOf = (): number => {
    try {
      return (globalThis as unknown as FactsWindow).performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0;
    } catch {
      // Hardened pages remove such globals or make them throw any error.
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
      // A page can define properties of these names on its elements. Assume a password field when it cannot be searched.
      return true;
    }
  };
  return {
    url: location.href,
    title: document.title,
    viewport: { width: innerWidth, height: innerHeight },
    text: (document.body?.innerText ?? '').slice(0, maxLength),
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

export function toPageState(runPages: RunPages, page: Page, { text, ...raw }: RawPageFacts): PageState {
  return { id: runPages.idOf(page), ...raw, hash: sha256(`${raw.url}\n${raw.title}\n${text}`) };
}

/** Whether the URL is one of the browser itself, such as about:blank. Such a page is never a page of the app under test. */
export function isBlankUrl(url: string): boolean {
  return /^(about:|chrome-error:|chrome:|edge-error:|data:|view-source:|$)/i.test(url);
}

/** `purpose`: completes the sentence "There is no page of the app to …". */
export function refuseBlankPage(url: string, purpose: string): void {
  if (!isBlankUrl(url)) return;
  const message = `There is no page of the app to ${purpose}: the browser shows ${url || 'nothing'}. Open a page with ui.navigate first, and check that its server responds.`;
  throw new RecipeError('ui.no_page', 'action', message);
}

/** Also refuses pages that the server sent with an HTTP error. */
export function refuseErrorPage({ url, title, status }: PageState, purpose: string): void {
  refuseBlankPage(url, purpose);
  if (status < 400) return;
  const message = `${url} is an error page (HTTP ${status}, ${JSON.stringify(title)}), so there is nothing to ${purpose}. Check why the server does not send the page.`;
  throw new RecipeError('ui.no_page', 'action', message);
}

const navigationErrors = /Execution context was destroyed|Cannot find context|because of a navigation/i;

/** Whether a call failed only because the page navigated in the meantime. */
export function isNavigationError(thrown: unknown): boolean {
  return thrown instanceof Error && navigationErrors.test(thrown.message);
}
