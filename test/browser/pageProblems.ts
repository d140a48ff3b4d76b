// What an accessibility checker would hold against a page of ours, asked of the page itself.
import type { Page } from '@playwright/test';

/** In both colour schemes. */
export async function pageProblems(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const problem of (await page.evaluate(ask)) as string[]) found.push(`${colorScheme}: ${problem}`);
  }
  return found;
}

// As a text: the tests know no types of a page.
const ask = `(() => {
  const problems = [];
  const say = (rule, one) => problems.push(rule + ': ' + (one.outerHTML ?? '').slice(0, 160));
  const all = (selector) => [...document.querySelectorAll(selector)];
  const isShown = (one) => one.checkVisibility({ contentVisibilityAuto: false, visibilityProperty: true });
  const nameOf = (one) => (one.getAttribute('aria-label') || (one.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join('') ||
    [...(one.labels ?? [])].map((label) => label.textContent).join('') || one.getAttribute('alt') || one.textContent || one.querySelector?.('[alt]')?.getAttribute('alt') || '').trim();
  if (!document.documentElement.lang) problems.push('the page has no language');
  if (!document.title) problems.push('the page has no title');
  for (const one of all('a[href], button, input, select, summary, meter, video, [role=region], [role=search], nav, section')) if (isShown(one) && nameOf(one) === '') say('no name', one);
  for (const one of all('img')) if (!one.hasAttribute('alt')) say('no alternative text', one);
  const ids = all('[id]').map(({ id }) => id);
  for (const id of new Set(ids.filter((id, index) => ids.indexOf(id) !== index))) problems.push('an id twice: ' + id);
  for (const one of all('[aria-labelledby]')) if (!document.getElementById(one.getAttribute('aria-labelledby'))) say('labelled by nothing', one);
  for (const one of all('[tabindex]')) if (Number(one.getAttribute('tabindex')) > 0) say('a tab order of its own', one);
  if (all('main').length !== 1 || all('h1').length !== 1) problems.push('not one main and one first heading');
  let level = 0;
  for (const one of all('h1,h2,h3,h4')) { const own = Number(one.tagName[1]); if (own > level + 1) say('a heading level is left out', one); level = own; }
  for (const one of all('ul > *')) if (one.tagName !== 'LI') say('no item in a list', one);
  for (const one of all('[role=list] > *')) if (one.getAttribute('role') !== 'listitem') say('no item in a list', one);
  for (const one of all('dl > *')) if (!['DT', 'DD', 'DIV'].includes(one.tagName)) say('no part of a description list', one);
  for (const one of all('th')) if (!one.hasAttribute('scope')) say('a heading of nothing', one);
  for (const one of all('*')) {
    const { overflowX, overflowY } = getComputedStyle(one);
    const scrolls = (/auto|scroll/.test(overflowX) && one.scrollWidth > one.clientWidth + 1) || (/auto|scroll/.test(overflowY) && one.scrollHeight > one.clientHeight + 1);
    if (scrolls && one !== document.documentElement && one !== document.body && one.tabIndex < 0) say('scrolls without the keyboard', one);
  }
  const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([red, green, blue]) => [red, green, blue].map((part) => part / 255).map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const ground = (one) => { for (let at = one; at; at = at.parentElement) { const colour = channels(getComputedStyle(at).backgroundColor); if (colour.length === 3 || colour[3] === 1) return colour; } return [255, 255, 255]; };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const one = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || seen.has(one) || one.closest('svg,script,style,option,.sr') || !isShown(one)) continue;
    seen.add(one);
    const [a, b] = [light(channels(getComputedStyle(one).color)), light(ground(one))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) say('contrast ' + ratio.toFixed(2), one);
  }
  return problems;
})()`;
