// The review page as text: what it says, what it leaves out, and that it is the same for the same run.

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
  test('says the verdict and why before anything else', () => {
    expect(plain(page)).toMatch(/The shop +✗ Fail AC1 is refuted: 1 of 2 assertions did not hold/);
  });

  test('shows each claim with its verdict, what was expected, what was there, and the evidence', () => {
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
  ] as const)('says of %i files of a claim how many it does not list', ([count, words]) => {
    const logs = Array.from({ length: count }, (_, index) => ({ path: `logs/${index}.log`, type: 'log', proofTarget: 'AC2' }));
    const row = /<tr id="claim-AC2">.*?<\/tr>/s.exec(reviewPage({ ...facts, artifacts: logs }))?.[0] ?? '';
    expect(row.match(/href="\.\/logs/g)).toHaveLength(10);
    expect(/and \d+ more, in the timeline/.exec(row)?.[0]).toBe(words);
  });

  test('puts the failed assertion before the one that held', () => {
    const row = /<tr id="claim-AC1">.*?<\/tr>/s.exec(page)?.[0] ?? '';
    expect(row.indexOf('did not hold')).toBeLessThan(row.indexOf('✓ held'));
  });

  test('names the innermost failure as the first', () => {
    const section = /<section id="failure".*?<\/section>/s.exec(page)?.[0] ?? '';
    expect(plain(section)).toContain('Do buy/ask buy/ask · command price expected eq 48, received 49.');
  });

  test('leads from every node of the graph that ran to its entry, and every such link has an end', () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    expect(links.filter((target) => !ids.has(target))).toEqual([]);
    expect(links).toEqual(expect.arrayContaining(['n-open', 'n-buy_2f_ask', 'n-buy']));
  });

  test('has every id once', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('keeps what ran inside of a node below it, earlier tries with it, streams apart from the rest', () => {
    expect(page).toMatch(/id="n-buy" .*<div class="line" role="list"><div class="entry" role="listitem" id="n-buy_2f_ask"/s);
    expect(plain(page)).toContain('Earlier try 1 The first try failed too.');
    expect(page).toContain('<h3>stdout</h3><pre tabindex="0">The shop is open.\n</pre>');
  });

  test('loads nothing from anywhere: every address is relative or in the page', () => {
    const addresses = [...page.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, address]) => address ?? '');
    expect(addresses.length).toBeGreaterThan(10);
    expect(addresses.filter((address) => !/^(#|\.\/)/.test(address))).toEqual([]);
    expect(page).not.toMatch(/url\(|@import|<link|<iframe/);
  });

  test('is the same for the same run, seen at once or entry by entry', () => {
    const review = openReview(facts.recipe);
    for (const one of entries) review.addEntry(one);
    expect(review.renderPage({ summary, artifacts })).toBe(page);
  });

  test('says why there is no graph of a recipe that cannot be drawn', () => {
    expect(reviewPage({ ...facts, recipe: { hello: 1 } })).toContain('is not a valid Recipe v1 document');
    expect(reviewPage({ ...facts, recipe: undefined })).toContain('does not contain the recipe that ran');
  });

  test('shows a path that leads out of the package without following it', () => {
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

  test('keeps the first 2,000 entries and every failure of a very long run, and says how many it leaves out', () => {
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

  test('cuts an output that is longer than anybody reads, and never inside of a character', () => {
    const long = reviewPage({ ...facts, trace: [entry('a', { output: `${'x'.repeat(3_999)}😀${'y'.repeat(1_000_000)}` })] });
    expect(long).toContain('more characters in trace.json');
    expect(long).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
    expect(long.length).toBeLessThan(100_000);
  });
});

describe('addresses', () => {
  test.for([
    ['javascript:alert(1)', './javascript%3Aalert(1)'],
    ['a b/ü#?.png', './a%20b/%C3%BC%23%3F.png'],
    ['//host/x', './//host/x'],
    ['lone\ud800', './lone%EF%BF%BD'],
  ])('of %j stay in the package', ([path = '', address]) => {
    expect(href(path)).toBe(address);
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

  const drawn = Object.values(graphPalettes).flatMap((palette) =>
    (['text', 'soft', 'claim', 'pass', 'fail', 'warn'] as const).flatMap((name) =>
      (['ground', 'lane', 'box'] as const).map((on) => [palette[name], palette[on]] as const),
    ),
  );

  const strokes = [...new Set([...graphStyle.matchAll(/stroke:(#\w+)/g)].map(([, colour = '']) => colour))];

  test.for(Object.entries(graphPalettes))('lines of a %s graph are seen on all that they cross', ([, palette]) => {
    const drawnWith = [palette.line, ...strokes.filter((colour) => Object.values(palette).includes(colour))];
    for (const line of drawnWith)
      for (const on of [palette.ground, palette.lane, palette.box]) expect(contrast(line, on)).toBeGreaterThanOrEqual(3);
    expect(strokes.filter((colour) => !Object.values(graphPalettes).some((all) => Object.values(all).includes(colour)))).toEqual(
      [],
    );
  });

  test.for([...pairs, ...drawn])('%s can be read on %s', ([text, ground]) => {
    expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5);
  });
});
