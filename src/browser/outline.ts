// What is on a page in place of what a node looked for: its outline, and the names that come close.
import type { Page } from '@playwright/test';
import { findNearest } from '../document/didYouMean.js';
import type { Call } from './call.js';
import { inPage } from './inPage.js';
import { shownInstead } from './shownInstead.js';
import { type Target, testIdOf } from './target.js';

const mostLines = 20;
const longestLine = 120;

/** Sentences and lines for a message; nothing when the page does not answer in time. */
export async function outlineFor(page: Page, target: Target, { call, timeoutMs, isThere }: Asking): Promise<string> {
  const [instead, outline, near] = await Promise.all([
    shownInstead(call, page, target).catch(noAnswer),
    call(page.locator('body'), 'ariaSnapshot', { timeout: timeoutMs }).catch(noAnswer),
    inPage(call, page, { run: collect, given: 500 }).then((found) => nearTo(target, found, isThere), noAnswer),
  ]);
  return `${instead ?? ''}${near ?? ''}${outline === undefined ? '' : `\n${onThePage(outline)}`}`;
}

/** `isThere`: what was asked for is on the page, more than once, so that the same name for it is no help. */
export type Asking = { call: Call; timeoutMs: number; isThere: boolean };

// It hangs, was closed or navigates: what is known already is all there is to say.
const noAnswer = (_: unknown): undefined => undefined;

function onThePage(outline: string): string {
  const lines = outline.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return 'The page shows nothing.';
  const cut = lines.slice(0, mostLines).map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line));
  const more = lines.length > mostLines ? [`… ${lines.length - mostLines} more lines`] : [];
  return ['On the page:', ...cut, ...more].join('\n');
}

export type Candidates = { testIds: string[]; ids: string[]; named: { role: string; name: string }[] };

function nearTo(target: Target, { testIds, ids, named }: Candidates, isThere: boolean): string {
  const { selector, text, name, label, contains } = target;
  const testId = testIdOf(target);
  const id = /^#([\w-]+)$/.exec(selector ?? '')?.[1];
  // Of several texts in an element, the last one is looked for when the others were found.
  const words = contains?.at(-1) ?? text ?? name ?? label;
  const found = [
    ...(testId === undefined ? [] : closest(testId, testIds).map((near) => `"test_id": ${JSON.stringify(near)}`)),
    ...(id === undefined ? [] : closest(id, ids).map((near) => `"selector": "#${near}"`)),
    ...(words === undefined || isThere ? [] : namedSo(words, named, target.role)),
    ...(words === undefined ? [] : namesNear(words, named)),
  ];
  return found.length === 0 ? '' : `\nDid you mean ${found.slice(0, 3).join(', or ')}?`;
}

/** What has the very name, and another role than the one that was asked for. */
function namedSo(words: string, named: Candidates['named'], asked: string | undefined): string[] {
  const roles = named.filter(({ name, role }) => name === words && role !== '' && role !== asked).map(({ role }) => role);
  return [...new Set(roles)].map((role) => roleAndName(role, words));
}

function namesNear(words: string, named: Candidates['named']): string[] {
  const near = closest(
    words,
    named.map(({ name }) => name),
  );
  return near.map((name) => {
    const role = named.find((each) => each.name === name)?.role;
    return role ? roleAndName(role, name) : `"text": ${JSON.stringify(name)}`;
  });
}

function roleAndName(role: string, name: string): string {
  return `"role": "${role}", "name": ${JSON.stringify(name)}`;
}

/** Those that contain it, or differ in upper case only, come before those that are spelled alike. */
function closest(wanted: string, known: readonly string[]): string[] {
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
const collect = (most: number): Candidates => {
  const { document } = globalThis as unknown as { document: Tree };
  const all = (selector: string): Item[] => [...document.querySelectorAll(selector)].slice(0, most);
  const attributes = ['data-testid', 'data-test-id', 'data-test'];
  const roles: Record<string, string> = {
    A: 'link',
    BUTTON: 'button',
    SELECT: 'combobox',
    TEXTAREA: 'textbox',
    INPUT: 'textbox',
  };
  const inputs: Record<string, string> = { checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton' };
  const roleOf = (item: Item): string =>
    item.getAttribute('role') ??
    (item.tagName === 'INPUT' ? inputs[item.getAttribute('type') ?? ''] : undefined) ??
    roles[item.tagName] ??
    '';
  const isShown = (item: Item): boolean => item.getClientRects().length > 0;
  const nameOf = (item: Item): string =>
    (item.getAttribute('aria-label') ?? item.labels?.[0]?.innerText ?? item.innerText ?? '')
      .trim()
      .replace(/\s+/g, ' ')
      .slice(0, 80);
  const testIds = all(attributes.map((name) => `[${name}]`).join()).map((item) =>
    String(attributes.map((name) => item.getAttribute(name)).find((value) => value !== null)),
  );
  const named = all('a,button,input,select,textarea,label,summary,h1,h2,h3,h4,h5,h6,p,li,td,th,span,[role],[aria-label]')
    .filter(isShown)
    .map((item) => ({ role: roleOf(item), name: nameOf(item) }))
    .filter(({ name }) => name !== '');
  return { testIds, ids: all('[id]').map((item) => String(item.getAttribute('id'))), named };
};

type Tree = { querySelectorAll(selector: string): Iterable<Item> };
type Item = {
  tagName: string;
  innerText?: string;
  labels?: { innerText?: string }[] | null;
  getAttribute(name: string): string | null;
  getClientRects(): { length: number };
};
