// Hints for a target that was not found: an outline of the page, and elements with similar names.
import type { Page } from '@playwright/test';
import { findNearest } from '../document/didYouMean.js';
import { type Call, evaluateInPage, evaluateOnElements } from './pageCalls.js';
import { describeTarget, locatePlace, type Target, testIdOf, withoutText } from './target.js';

const maxLines = 20;
const maxLineLength = 120;

/** Text to append to a message. Empty when the page does not answer in time. */
export async function formatTargetHints(
  page: Page,
  target: Target,
  { call, timeoutMs, isAmbiguous }: HintOptions,
): Promise<string> {
  const [shownText, outline, suggestions] = await Promise.all([
    describeShownText(call, page, target).catch(ignoreError),
    call(page.locator('body'), 'ariaSnapshot', { timeout: timeoutMs }).catch(ignoreError),
    evaluateInPage(call, page, { run: collectNames, argument: 500 }).then(
      (names) => suggestNames(target, names, isAmbiguous),
      ignoreError,
    ),
  ]);
  return `${shownText ?? ''}${suggestions ?? ''}${outline === undefined ? '' : `\n${formatOutline(outline)}`}`;
}

/** `isAmbiguous`: the target matches several elements, so a suggestion with the same name does not help. */
type HintOptions = { call: Call; timeoutMs: number; isAmbiguous: boolean };

// The page hangs, is closed or navigates. The message is then shown without this hint.
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

function suggestNames(target: Target, { testIds, ids, elements }: PageNames, isAmbiguous: boolean): string {
  const { selector, text, name, label, contains } = target;
  const testId = testIdOf(target);
  const id = /^#([\w-]+)$/.exec(selector ?? '')?.[1];
  // The texts of `contains` are tried in order, so the last one is the missing one.
  const wantedText = contains?.at(-1) ?? text ?? name ?? label;
  const suggestions = [
    ...(testId === undefined ? [] : findSimilar(testId, testIds).map((similar) => `"test_id": ${JSON.stringify(similar)}`)),
    ...(id === undefined ? [] : findSimilar(id, ids).map((similar) => `"selector": "#${similar}"`)),
    ...(wantedText === undefined || isAmbiguous ? [] : suggestRoles(wantedText, elements, target.role)),
    ...(wantedText === undefined ? [] : suggestSimilarNames(wantedText, elements)),
  ];
  return suggestions.length === 0 ? '' : `\nDid you mean ${suggestions.slice(0, 3).join(', or ')}?`;
}

/** Elements with exactly this name, but another role than the wanted one. */
function suggestRoles(wantedName: string, elements: PageNames['elements'], wantedRole: string | undefined): string[] {
  const roles = elements
    .filter(({ name, role }) => name === wantedName && role !== '' && role !== wantedRole)
    .map(({ role }) => role);
  return [...new Set(roles)].map((role) => roleAndName(role, wantedName));
}

function suggestSimilarNames(wantedName: string, elements: PageNames['elements']): string[] {
  const similarNames = findSimilar(
    wantedName,
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

/** Returns up to three names. Names that contain the expected one, ignoring case, come before those with a similar spelling. */
function findSimilar(expected: string, names: readonly string[]): string[] {
  const lowerCaseName = expected.toLowerCase();
  const others = new Set(names.filter((name) => name !== expected));
  const similar = [...others].filter((name) => name.toLowerCase().includes(lowerCaseName)).slice(0, 3);
  for (const name of similar) others.delete(name);
  while (similar.length < 3) {
    const next = findNearest(expected, others);
    if (next === undefined) break;
    similar.push(next);
    others.delete(next);
  }
  return similar;
}

/** Runs in the page. */
const collectNames = (maxCount: number): PageNames => {
  const { document } = globalThis as unknown as { document: QueryableDocument };
  const all = (selector: string): PageElement[] => [...document.querySelectorAll(selector)].slice(0, maxCount);
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

const maxElements = 3;
const maxTextLength = 120;

/**
 * Returns a sentence with the actual text of the target's element. Empty for a target without a text, and when the
 * element does not exist.
 */
async function describeShownText(call: Call, page: Page, target: Target): Promise<string> {
  const place = locatePlace(page, target);
  if (!place || (target.text === undefined && target.contains === undefined)) return '';
  const texts = await evaluateOnElements(call, place, { run: readShownTexts, argument: maxElements });
  const descriptions = texts
    .map((text) => (text === undefined ? 'nothing, because it is hidden' : quoteText(text)))
    .join(', and ');
  return descriptions === '' ? '' : `\n${describeTarget(withoutText(target))} shows ${descriptions}.`;
}

function quoteText(text: string): string {
  if (text === '') return 'no text';
  return JSON.stringify(text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text);
}

/** Runs in the page. */
const readShownTexts = (items: readonly object[], maxCount: number): (string | undefined)[] =>
  (items as TextElement[])
    .slice(0, maxCount)
    .map((item) =>
      item.checkVisibility({ visibilityProperty: true }) ? (item.innerText ?? '').replace(/\s+/g, ' ').trim() : undefined,
    );

type TextElement = { innerText?: string; checkVisibility(options: object): boolean };
