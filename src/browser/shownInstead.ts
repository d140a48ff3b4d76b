// What an element says in place of a text that was looked for in it.
import type { Page } from '@playwright/test';
import type { Call } from './call.js';
import { inElements } from './inPage.js';
import { describeTarget, placeIn, placeOf, type Target } from './target.js';

const mostElements = 3;
const mostLetters = 120;

/** A sentence for a message; nothing for a target that is no text in a place, or whose place is not there. */
export async function shownInstead(call: Call, page: Page, target: Target): Promise<string> {
  const place = placeOf(page, target);
  if (!place || (target.text === undefined && target.contains === undefined)) return '';
  const texts = await inElements(call, place, { run: textsOf, given: mostElements });
  const told = texts.map((text) => (text === undefined ? 'nothing, as it is hidden' : quoted(text))).join(', and ');
  return told === '' ? '' : `\n${describeTarget(placeIn(target))} shows ${told}.`;
}

function quoted(text: string): string {
  if (text === '') return 'no text';
  return JSON.stringify(text.length > mostLetters ? `${text.slice(0, mostLetters)}…` : text);
}

/** Runs in the page. */
const textsOf = (items: readonly object[], most: number): (string | undefined)[] =>
  (items as Item[])
    .slice(0, most)
    .map((item) =>
      item.checkVisibility({ visibilityProperty: true }) ? (item.innerText ?? '').replace(/\s+/g, ' ').trim() : undefined,
    );

type Item = { innerText?: string; checkVisibility(options: object): boolean };
