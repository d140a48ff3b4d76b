// What is on a page in place of what a node looked for: its outline, and the names that come close.
import type { Page } from '@playwright/test';
import { findNearest } from '../document/didYouMean.js';
import { type Call, evaluateInPage, evaluateOnElements } from './pageCalls.js';
import { describeTarget, locatePlace, type Target, testIdOf, withoutText } from './target.js';

const maxLines = 20;
const maxLineLength = 120;

/** Sentences and lines for a message; nothing when the page does not answer in time. */
export async function formatTargetHints(page: Page, target: Target, { call, timeoutMs, isThere }: HintOptions): Promise<string> {
  const [shownText, outline, suggestions] = await Promise.all([
    describeShownText(call, page, target).catch(ignoreError),
    call(page.locator('body'), 'ariaSnapshot', { timeout: timeoutMs }).catch(ignoreError),
    evaluateInPage(call, page, { run: collectNames, argument: 500 }).then(
      (found) => suggestNames(target, found, isThere),
      ignoreError,
    ),
  ]);
  return `${shownText ?? ''}${suggestions ?? ''}${outline === undefined ? '' : `\n${formatOutline(outline)}`}`;
}

/** `isThere`: what was asked for is on the page, more than once, so that the same name for it is no help. */
type HintOptions = { call: Call; timeoutMs: number; isThere: boolean };

// It hangs, was closed or navigates: what is known already is all there is to say.
const ignoreError = (_: unknown): undefined => undefined;

function formatOutline(outline: string): string {
  const lines = outline.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return 'The page shows nothing.';
  const shortLines = lines
    .slice(0, maxLines)
    .map((line) => (line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line));
  const more = lines.length > maxLines ? [`… ${lines.length - maxLines} more lines`] : [];
  return ['On the page:', ...shortLines, ...more].join('\n');
}

type PageNames = { testIds: string[]; ids: string[]; elements: { role: string; name: string }[] };

function suggestNames(target: Target, { testIds, ids, elements }: PageNames, isThere: boolean): string {
  const { selector, text, name, label, contains } = target;
  const testId = testIdOf(target);
  const id = /^#([\w-]+)$/.exec(selector ?? '')?.[1];
  // Of several texts in an element, the last one is looked for when the others were found.
  const words = contains?.at(-1) ?? text ?? name ?? label;
  const found = [
    ...(testId === undefined ? [] : findSimilar(testId, testIds).map((similar) => `"test_id": ${JSON.stringify(similar)}`)),
    ...(id === undefined ? [] : findSimilar(id, ids).map((near) => `"selector": "#${near}"`)),
    ...(words === undefined || isThere ? [] : suggestRoles(words, elements, target.role)),
    ...(words === undefined ? [] : suggestSimilarNames(words, elements)),
  ];
  return found.length === 0 ? '' : `\nDid you mean ${found.slice(0, 3).join(', or ')}?`;
}

/** What has the very name, and another role than the one that was asked for. */
function suggestRoles(words: string, elements: PageNames['elements'], wantedRole: string | undefined): string[] {
  const roles = elements.filter(({ name, role }) => name === words && role !== '' && role !== wantedRole).map(({ role }) => role);
  return [...new Set(roles)].map((role) => roleAndName(role, words));
}

function suggestSimilarNames(words: string, elements: PageNames['elements']): string[] {
  const similarNames = findSimilar(
    words,
    elements.map(({ name }) => name),
  );
  return similarNames.map((name) => {
    const role = elements.find((each) => each.name === name)?.role;
    return role ? roleAndName(role, name) : `"text": ${JSON.stringify(name)}`;
  });
}

function roleAndName(role: string, name: string): string {
  return `"role": "${role}", "name": ${JSON.stringify(name)}`;
}

/** Those that contain it, or differ in upper case only, come before those that are spelled alike. */
function findSimilar(wanted: string, known: readonly string[]): string[] {
  const small = wanted.toLowerCase();
  const all = new Set(known.filter((each) => each !== wanted));
  const found = [...all].filter((each) => each.toLowerCase().includes(small)).slice(0, 3);
  for (const each of found) all.delete(each);
  while (found.length < 3) {
    const next = findNearest(wanted, all);
    if (next === undefined) break;
    found.push(next);
    all.delete(next);
  }
  return found;
}

/** Runs in the page, so that it stands by itself. */
const collectNames = (most: number): PageNames => {
  const { document } = globalThis as unknown as { document: QueryableDocument };
  const all = (selector: string): PageElement[] => [...document.querySelectorAll(selector)].slice(0, most);
  const attributes = ['data-testid', 'data-test-id', 'data-test'];
  const roles: Record<string, string> = {
    A: 'link',
    BUTTON: 'button',
    SELECT: 'combobox',
    TEXTAREA: 'textbox',
    INPUT: 'textbox',
  };
  const inputs: Record<string, string> = { checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton' };
  const roleOf = (item: PageElement): string =>
    item.getAttribute('role') ??
    (item.tagName === 'INPUT' ? inputs[item.getAttribute('type') ?? ''] : undefined) ??
    roles[item.tagName] ??
    '';
  const isShown = (item: PageElement): boolean => item.getClientRects().length > 0;
  const nameOf = (item: PageElement): string =>
    (item.getAttribute('aria-label') ?? item.labels?.[0]?.innerText ?? item.innerText ?? '')
      .trim()
      .replace(/\s+/g, ' ')
      .slice(0, 80);
  const testIds = all(attributes.map((name) => `[${name}]`).join()).map((item) =>
    String(attributes.map((name) => item.getAttribute(name)).find((value) => value !== null)),
  );
  const elements = all('a,button,input,select,textarea,label,summary,h1,h2,h3,h4,h5,h6,p,li,td,th,span,[role],[aria-label]')
    .filter(isShown)
    .map((item) => ({ role: roleOf(item), name: nameOf(item) }))
    .filter(({ name }) => name !== '');
  return { testIds, ids: all('[id]').map((item) => String(item.getAttribute('id'))), elements };
};

type QueryableDocument = { querySelectorAll(selector: string): Iterable<PageElement> };
type PageElement = {
  tagName: string;
  innerText?: string;
  labels?: { innerText?: string }[] | null;
  getAttribute(name: string): string | null;
  getClientRects(): { length: number };
};

// What an element says in place of a text that was looked for in it.

const maxElements = 3;
const maxTextLength = 120;

/** A sentence for a message; nothing for a target that is no text in a place, or whose place is not there. */
async function describeShownText(call: Call, page: Page, target: Target): Promise<string> {
  const place = locatePlace(page, target);
  if (!place || (target.text === undefined && target.contains === undefined)) return '';
  const texts = await evaluateOnElements(call, place, { run: readShownTexts, argument: maxElements });
  const descriptions = texts.map((text) => (text === undefined ? 'nothing, as it is hidden' : quoteText(text))).join(', and ');
  return descriptions === '' ? '' : `\n${describeTarget(withoutText(target))} shows ${descriptions}.`;
}

function quoteText(text: string): string {
  if (text === '') return 'no text';
  return JSON.stringify(text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text);
}

/** Runs in the page. */
const readShownTexts = (items: readonly object[], most: number): (string | undefined)[] =>
  (items as TextElement[])
    .slice(0, most)
    .map((item) =>
      item.checkVisibility({ visibilityProperty: true }) ? (item.innerText ?? '').replace(/\s+/g, ' ').trim() : undefined,
    );

type TextElement = { innerText?: string; checkVisibility(options: object): boolean };
