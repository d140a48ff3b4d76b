// Collects the elements of a page that a description could mean, with the names that assistive technology gives them.
import type { Page } from '@playwright/test';
import { type Call, evaluateOnElements } from '../../../browser/pageCalls.js';

export type Candidate = {
  index: number;
  role: string;
  name: string;
  placeholder: string;
  testId: string;
  /** The attributes id and name. */
  id: string;
  type: string;
  isEditable: boolean;
};

/** Matches all candidates, also in open shadow roots. Playwright finds a candidate by this selector and an index. */
const candidateSelector =
  'a[href],button,input:not([type=hidden]),select,textarea,summary,label,[role],[onclick],[tabindex],[contenteditable=""],[contenteditable=true],h1,h2,h3,h4,h5,h6,section,img[alt]';

export async function findCandidates(page: Page, { isFill, call }: { isFill: boolean; call: Call }): Promise<Candidate[]> {
  const all = await evaluateOnElements(call, page.locator(candidateSelector), { run: collectCandidates, argument: undefined });
  return isFill ? all.filter(({ isEditable }) => isEditable) : all;
}

/** Returns a selector of the element that is valid only until the page changes. */
export function selectorOf({ index }: Candidate): string {
  return `css=${candidateSelector} >> nth=${index}`;
}

/** Runs in the page. One long function, because only its own source code is sent to the page. */
export const collectCandidates = (items: readonly object[]): Candidate[] => {
  type Item = {
    tagName: string;
    innerText?: string;
    value?: string;
    type?: string;
    form?: Item | null;
    labels?: Iterable<{ innerText?: string }> | null;
    isContentEditable?: boolean;
    getAttribute(name: string): string | null;
    getRootNode(): { getElementById?(id: string): Item | null };
    getClientRects(): { length: number };
    checkVisibility(options: object): boolean;
    querySelector(selector: string): Item | null;
    closest(selector: string): Item | null;
  };
  // Shortens between words, because half of a secret would not be recognised and masked.
  const normalize = (text: string | null | undefined): string => {
    const line = (text ?? '').replace(/\s+/g, ' ').trim();
    return line.length > 120 ? line.slice(0, 121).replace(/\S*$/, '').trim() : line;
  };
  const tags: Record<string, string> = {
    A: 'link',
    BUTTON: 'button',
    TEXTAREA: 'textbox',
    SELECT: 'combobox',
    SUMMARY: 'button',
    IMG: 'img',
    LABEL: 'label',
    SECTION: 'region',
  };
  const inputs: Record<string, string> = {
    checkbox: 'checkbox',
    radio: 'radio',
    range: 'slider',
    search: 'searchbox',
    number: 'spinbutton',
    submit: 'button',
    button: 'button',
    reset: 'button',
    image: 'button',
  };
  const roleOf = (item: Item): string => {
    const role = item.getAttribute('role')?.trim().split(/\s+/)[0];
    if (role) return role;
    if (item.tagName === 'INPUT') return inputs[item.type ?? ''] ?? 'textbox';
    return tags[item.tagName] ?? (/^H[1-6]$/.test(item.tagName) ? 'heading' : item.isContentEditable ? 'textbox' : 'generic');
  };
  const labelledByText = (item: Item): string => {
    const ids = item.getAttribute('aria-labelledby')?.trim().split(/\s+/) ?? [];
    const root = item.getRootNode();
    return normalize(ids.map((id) => root.getElementById?.(id)?.innerText ?? '').join(' '));
  };
  const nameOf = (item: Item, role: string): string => {
    const label = labelledByText(item) || normalize(item.getAttribute('aria-label'));
    if (label) return label;
    // The innerText of a label that contains a <select> includes all options.
    const withoutOwnText = (text: string): string => (item.innerText ? text.replace(item.innerText, ' ') : text);
    const labels = normalize([...(item.labels ?? [])].map((label) => withoutOwnText(label.innerText ?? '')).join(' '));
    if (labels) return labels;
    const isButton = item.tagName === 'INPUT' && role === 'button';
    if (isButton) return normalize(item.value || item.getAttribute('alt') || (item.type === 'submit' ? 'Submit' : ''));
    const isField = ['INPUT', 'SELECT', 'TEXTAREA', 'SECTION'].includes(item.tagName);
    const inner = isField ? '' : normalize(item.innerText) || normalize(item.querySelector('img[alt]')?.getAttribute('alt'));
    return (
      inner ||
      normalize(item.getAttribute('alt')) ||
      normalize(item.querySelector('svg title')?.innerText) ||
      normalize(item.getAttribute('title'))
    );
  };
  const isShown = (item: Item): boolean =>
    item.getClientRects().length > 0 && item.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  // "submit" is the default type of a button, so it only counts when the form has fields to submit.
  const typeOf = (item: Item): string => {
    if (item.tagName !== 'INPUT' && item.tagName !== 'BUTTON') return '';
    const fields = 'input:not([type=hidden],[type=submit],[type=button],[type=reset],[type=image]),textarea,select';
    if (item.type === 'submit' && !item.form?.querySelector(fields)) return '';
    return item.type ?? '';
  };
  const candidates: Candidate[] = [];
  for (const [index, each] of items.entries()) {
    const item = each as Item;
    // The link itself is a candidate, so its image is not.
    if (!isShown(item) || (item.tagName === 'IMG' && item.closest('a[href],button') !== null)) continue;
    const role = roleOf(item);
    const testId = ['data-testid', 'data-test-id', 'data-test']
      .map((name) => item.getAttribute(name))
      .find((value) => value !== null);
    const isField = ['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider'].includes(role);
    candidates.push({
      index,
      role,
      name: nameOf(item, role),
      placeholder: normalize(item.getAttribute('placeholder')),
      testId: normalize(testId),
      id: normalize(`${item.getAttribute('id') ?? ''} ${item.getAttribute('name') ?? ''}`),
      type: typeOf(item),
      isEditable:
        item.tagName === 'SELECT' ||
        item.tagName === 'TEXTAREA' ||
        item.isContentEditable === true ||
        (item.tagName === 'INPUT' && isField),
    });
  }
  return candidates;
};
