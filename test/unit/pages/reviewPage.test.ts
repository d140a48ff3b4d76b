// The HTML of the review page: what it shows, what it leaves out, and that the same run gives the same page.

import { describe, expect, test } from 'vitest';
import { graphPalettes, graphStyle } from '../../../src/pages/graph/graphStyle.js';
import { href } from '../../../src/pages/html.js';
import { palettes } from '../../../src/pages/review/pageFrame.js';
import { openReview, reviewPage } from '../../../src/pages/review/reviewPage.js';
import { artifacts, entries, entry, facts, summary } from './reviewFacts.js';

const page = reviewPage(facts);
const plain = (html: string): string =>
  html
    .replace(/<(style|script)>.*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the review page', () => {
  test('the review page begins with the verdict and its reason', () => {
    expect(plain(page)).toMatch(/The shop +✗ Fail AC1 is refuted: 1 of 2 assertions did not hold/);
  });

  test('the review page shows each claim with its verdict, its expected and actual values, and its evidence', () => {
    const row = /<tr id="claim-AC1">.*?<\/tr>/s.exec(page)?.[0] ?? '';
    expect(plain(row)).toContain('✗ Refuted');
    expect(plain(row)).toMatch(/✗ did not hold price is 48 expected 48 actual 49/);
    expect(row).toContain('src="./screenshots/price.png"');
    expect(row).toContain('href="./logs/shop.log"');
    expect(plain(/<tr id="claim-AC2">.*?<\/tr>/s.exec(page)?.[0] ?? '')).toContain('none evaluated');
  });

  test.for([
    [10, undefined],
    [11, 'and 1 more, in the timeline'],
    [20, 'and 10 more, in the timeline'],
    [25, 'and 15 more, in the timeline'],
  ] as const)('the review page lists 10 of %i files of a claim, and counts the others', ([count, words]) => {
    const logs = Array.from({ length: count }, (_, index) => ({ path: `logs/${index}.log`, type: 'log', proofTarget: 'AC2' }));
    const row = /<tr id="claim-AC2">.*?<\/tr>/s.exec(reviewPage({ ...facts, artifacts: logs }))?.[0] ?? '';
    expect(row.match(/href="\.\/logs/g)).toHaveLength(10);
    expect(/and \d+ more, in the timeline/.exec(row)?.[0]).toBe(words);
  });

  test('the review page lists failed assertions before passed ones', () => {
    const row = /<tr id="claim-AC1">.*?<\/tr>/s.exec(page)?.[0] ?? '';
    expect(row.indexOf('did not hold')).toBeLessThan(row.indexOf('✓ held'));
  });

  test('the review page shows the innermost failure as the first failure', () => {
    const section = /<section id="failure".*?<\/section>/s.exec(page)?.[0] ?? '';
    expect(plain(section)).toContain('Do buy/ask buy/ask · command price expected eq 48, received 49.');
  });

  test('every node that ran links to its entry, and every link on the review page has a target', () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    expect(links.filter((target) => !ids.has(target))).toEqual([]);
    expect(links).toEqual(expect.arrayContaining(['n-open', 'n-buy_2f_ask', 'n-buy']));
  });

  test('every id on the review page is unique', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('the timeline nests inner nodes and earlier attempts, and shows stdout and stderr separately', () => {
    expect(page).toMatch(/id="n-buy" .*<div class="line" role="list"><div class="entry" role="listitem" id="n-buy_2f_ask"/s);
    expect(plain(page)).toContain('Earlier try 1 The first try failed too.');
    expect(page).toContain('<h3>stdout</h3><pre tabindex="0">The shop is open.\n</pre>');
  });

  test('the review page loads nothing from the network: every URL is relative', () => {
    const urls = [...page.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, url]) => url ?? '');
    expect(urls.length).toBeGreaterThan(10);
    expect(urls.filter((url) => !/^(#|\.\/)/.test(url))).toEqual([]);
    expect(page).not.toMatch(/url\(|@import|<link|<iframe/);
  });

  test('the review page is the same for a whole trace and for single entries', () => {
    const review = openReview(facts.recipe);
    for (const traceEntry of entries) review.addEntry(traceEntry);
    expect(review.renderPage({ summary, artifacts })).toBe(page);
  });

  test('the review page says why a recipe cannot be drawn', () => {
    expect(reviewPage({ ...facts, recipe: { hello: 1 } })).toContain('is not a valid Recipe v1 document');
    expect(reviewPage({ ...facts, recipe: undefined })).toContain('does not contain the recipe that ran');
  });

  test('the review page shows a path outside the package, but does not link to it', () => {
    const outside = ['../../etc/passwd.png', '/etc/passwd', 'C:\\x.png', 'a/../../b.webm'].map((path) => ({
      path,
      type: 'other',
    }));
    const hostile = reviewPage({
      ...facts,
      artifacts: outside,
      trace: [entry('a', { artifacts: outside.map(({ path }) => path) })],
    });
    expect([...hostile.matchAll(/(?:src|href)="\.\/([^"]*)"/g)].map(([, path]) => path)).toEqual(['summary.json']);
    expect(hostile).toContain('../../etc/passwd.png');
  });

  test('the review page of a very long run has the first 2,000 entries and every failure, and counts the others', () => {
    const review = openReview(undefined);
    for (let index = 0; index < 50_000; index++)
      review.addEntry(entry(`n${index}`, { ok: index !== 49_999, output: 'x'.repeat(9) }));
    const long = review.renderPage({ summary, artifacts: [] });
    expect(long).toContain('47999 more entries');
    expect(long).toContain('id="n-n1999"');
    expect(long).not.toContain('id="n-n2000"');
    expect(long).toContain('id="n-n49999"');
    expect(long.length).toBeLessThan(3_000_000);
  });

  test('the review page cuts a long output, but never in the middle of a character', () => {
    const long = reviewPage({ ...facts, trace: [entry('a', { output: `${'x'.repeat(3_999)}😀${'y'.repeat(1_000_000)}` })] });
    expect(long).toContain('more characters in trace.json');
    expect(long).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
    expect(long.length).toBeLessThan(100_000);
  });
});

describe('href', () => {
  test.for([
    ['javascript:alert(1)', './javascript%3Aalert(1)'],
    ['a b/ü#?.png', './a%20b/%C3%BC%23%3F.png'],
    ['//host/x', './//host/x'],
    ['lone\ud800', './lone%EF%BF%BD'],
  ])('the link to the path %j stays inside the package', ([path = '', url]) => {
    expect(href(path)).toBe(url);
  });
});

describe('colours', () => {
  const luminance = (colour: string): number => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5]
      .map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a: string, b: string): number => {
    const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };
  const pairs = Object.values(palettes).flatMap((palette) =>
    (['text', 'dim', 'link', 'good', 'bad', 'open', 'claim'] as const).flatMap((name) =>
      (['ground', 'panel', 'tint'] as const).map((on) => [palette[name], palette[on]] as const),
    ),
  );

  const graphPairs = Object.values(graphPalettes).flatMap((palette) =>
    (['text', 'soft', 'claim', 'pass', 'fail', 'warn'] as const).flatMap((name) =>
      (['ground', 'lane', 'box'] as const).map((on) => [palette[name], palette[on]] as const),
    ),
  );

  const strokes = [...new Set([...graphStyle.matchAll(/stroke:(#\w+)/g)].map(([, colour = '']) => colour))];

  test.for(Object.entries(graphPalettes))('the lines of a %s graph have enough contrast to every background', ([, palette]) => {
    const lineColours = [palette.line, ...strokes.filter((colour) => Object.values(palette).includes(colour))];
    for (const line of lineColours)
      for (const on of [palette.ground, palette.lane, palette.box]) expect(contrast(line, on)).toBeGreaterThanOrEqual(3);
    expect(strokes.filter((colour) => !Object.values(graphPalettes).some((all) => Object.values(all).includes(colour)))).toEqual(
      [],
    );
  });

  test.for([...pairs, ...graphPairs])('text in the colour %s has enough contrast on %s', ([text, ground]) => {
    expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5);
  });
});
