// The page of a suite, and the coverage of its runs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TraceEntryJson } from '../../../src/evidence/models/traceModel.js';
import { writeSuiteIndex } from '../../../src/evidence/suiteIndex.js';
import type { Summary } from '../../../src/evidence/summary.js';
import { openReview } from '../../../src/pages/review/reviewPage.js';
import { CoverageCollector } from '../../../src/review/suite/coverageCollector.js';
import { suitePage } from '../../../src/review/suite/suitePage.js';
import { SuiteReview } from '../../../src/review/suite/suiteReview.js';
import { directory, write } from '../evidence/packages.js';
import { done, everyKind, step } from '../pages/graphs.js';
import { entries, entry, summary } from '../pages/reviewFacts.js';

const passed = {
  ...summary,
  status: 'pass' as const,
  reason: '1 of 1 claims proven',
  proof: [],
  recipe: { id: 'a', digest: '', title: 'Open' },
};
const failure = {
  ...{
    nodeId: 'buy/ask',
    intent: 'Ask the shop',
    error: 'price expected eq 48, received 49.',
    artifacts: ['screenshots/price.png'],
  },
  failedAsserts: [{ held: false, operator: 'eq', path: '$.price', expected: 48, actual: 49 }],
};
const findFailure = () => failure;
const rows = [
  { name: 'recipes/a', summary: passed, isFlaky: true, earlier: 2 },
  { name: 'recipes/shop', summary },
  { name: 'recipes/late' },
  { name: 'recipes/left', skipped: true, detail: 'The test was skipped: no device.' },
];
const plain = (html: string): string =>
  html
    .replace(/<(style|script)>.*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

function coverageOf(...runs: (readonly TraceEntryJson[])[]) {
  const coverage = new CoverageCollector();
  for (const trace of runs) {
    const review = openReview(everyKind);
    for (const traceEntry of trace) review.addEntry(traceEntry);
    coverage.addRun('recipes/shop', review.runGraph());
  }
  return coverage.result();
}

const notTaken = (list: readonly { name: string; isTaken: boolean }[]): string[] =>
  list.filter(({ isTaken }) => !isTaken).map(({ name }) => name);

describe('the page of a suite', () => {
  test('the suite page says how many recipes passed, and lists the worst first', () => {
    const page = suitePage({ rows, findFailure });
    expect(page).toContain('<title>1 of 4 recipes passed</title>');
    const names = [...page.matchAll(/<tr class="recipe".*?<\/tr>/gs)].map(([row]) => /recipes\/\w+/.exec(row)?.[0]);
    expect(names).toEqual(['recipes/shop', 'recipes/late', 'recipes/a', 'recipes/left']);
    expect(plain(page)).toContain('✗ Fail 0 of 2 claims are proven, 1 refuted, 1 unproven, 0 blocked.');
  });

  test('the suite page is unknown while a recipe has no result', () => {
    expect(plain(suitePage({ rows: [rows[0] ?? { name: '' }, { name: 'recipes/late' }], findFailure }))).toContain('? Unknown');
  });

  test('the suite page is unknown when no recipe passed, or when the packages cannot be verified', () => {
    expect(plain(suitePage({ rows: [{ name: 'recipes/left', skipped: true }], findFailure }))).toContain('? Unknown');
    const passed = rows.filter(({ summary }) => summary?.status === 'pass');
    const trustProblem = { isBroken: false, why: 'the package has no journal' };
    const page = plain(suitePage({ rows: passed.map((row) => ({ ...row, trustProblem })), findFailure }));
    expect(page).toContain('0 of 1 recipes passed');
    expect(page).toMatch(/\? Unknown .*1 of the packages is not verified and does not count here\./);
  });

  test('the suite page links to every page and every earlier try, and shows the first failure with its rerun command', () => {
    const page = suitePage({ rows, findFailure });
    for (const path of ['recipes/shop', '.attempts/recipes/a/0', '.attempts/recipes/a/1'])
      expect(page).toContain(`href="./${path}/review.html"`);
    expect(page).toContain('href="./.attempts/recipes/a/compare/index.html"');
    expect(page).toContain('href="./recipes/shop/screenshots/price.png"');
    expect(plain(page)).toContain('Ask the shop buy/ask price expected eq 48, received 49.');
    expect(plain(page)).toMatch(/expected 48 actual 49 .*Run only this recipe again: recipewright run .* recipes\/shop/);
  });

  test('the suite page shows the first lines of a long error, and the rest collapsed', () => {
    const error = `No button.\nDid you mean "Buy"?\nOn the page:\n- <b>${'x'.repeat(50)}`;
    const page = suitePage({ rows, findFailure: () => ({ ...failure, error }) });
    expect(page).toContain('<p class="error">No button.\nDid you mean &quot;Buy&quot;?</p><details class="rest">');
    expect(page).toContain('<pre tabindex="0">On the page:\n- &lt;b&gt;xxx');
    expect(suitePage({ rows, findFailure })).not.toContain('<details class="rest">');
  });

  test('index.html is written beside suite.json, and never replaces a file of another program', () => {
    const dir = directory();
    writeSuiteIndex(dir, [{ name: 'a' }], { page: new SuiteReview().page });
    expect(readFileSync(join(dir, 'index.html'), 'utf8')).toContain('0 of 1 recipes passed');
    writeSuiteIndex(dir, [{ name: 'b' }], { page: new SuiteReview().page });
    expect(readFileSync(join(dir, 'index.html'), 'utf8')).toContain('>b<');
    const other = directory();
    writeFileSync(join(other, 'index.html'), '<p>my site</p>');
    expect(() => writeSuiteIndex(other, [{ name: 'a' }], { page: new SuiteReview().page })).toThrow('did not write');
    expect(existsSync(join(other, 'suite.json'))).toBe(false);
  });
});

describe('the coverage of a suite', () => {
  test('the coverage names the branches that no run took, and counts all branches', () => {
    const open = entries.slice(0, 2);
    const closed = [entry('open'), entry('which', { action: 'switch', next: 'shut', output: { case: 'default', next: 'shut' } })];
    expect(notTaken(coverageOf(open).branches)).toHaveLength(2);
    const both = coverageOf(open, closed);
    expect(notTaken(both.branches)).toEqual([
      'recipes/shop: which, when open stdout has "closed" and inputs patience is more than 3',
    ]);
    expect(both.branches).toHaveLength(3);
  });

  test('the coverage names the flows and actions that no run used, and a skipped node does not count as used', () => {
    expect(notTaken(coverageOf(entries.slice(0, 2)).flows)).toEqual(['shop.ask']);
    expect(notTaken(coverageOf(entries).flows)).toEqual([]);
    expect(notTaken(coverageOf(entries).actions)).toEqual(['end', 'rw.group']);
    const skipped = [entry('buy/ask', { output: { skipped: true } })];
    expect(notTaken(coverageOf(skipped).flows)).toEqual(['shop.ask']);
  });

  test('the coverage has the flows that a recipe declares and never calls, with their branches and actions', () => {
    const asks = {
      action: 'switch',
      intent: 'Choose',
      cases: [{ when: { path: '$.a', operator: 'exists' }, next: 'pick' }],
      default: 'done',
    };
    const shelf = { entry: 'ask', nodes: { ask: asks, pick: step('Pick it', 'done', { action: 'lab.pick' }), done } };
    const lost = { entry: 'go', nodes: { go: { action: 'call', ref: 'not.here', intent: 'Go', next: 'done' }, done } };
    const review = new SuiteReview();
    const withFlows = (flows: object) => ({ ...everyKind, flows: { ...(everyKind.flows as object), ...flows } });
    const open = review.open('recipes/shop')(withFlows({ 'shop.shelf': { description: 'Picks.', workflow: shelf } }));
    for (const traceEntry of entries) open.addEntry(traceEntry);
    const facts = { summary: summary as Summary, artifacts: [], attempt: 0 };
    open.renderPage(facts);
    // A flow that cannot be drawn is listed, too.
    review
      .open('recipes/other')(withFlows({ 'shop.lost': { description: 'Gets lost.', workflow: lost } }))
      .renderPage(facts);
    const { flows, branches, actions } = review.coverage();
    expect(flows.map(({ name, isTaken }) => [name, isTaken])).toEqual([
      ['shop.ask', true],
      ['shop.lost', false],
      ['shop.shelf', false],
    ]);
    expect(notTaken(branches).filter((name) => name.startsWith('Flow '))).toEqual([
      'Flow shop.shelf: ask, otherwise',
      'Flow shop.shelf: ask, when a is present',
    ]);
    expect(notTaken(actions)).toContain('lab.pick');
  });

  test('the coverage has the catalogs and libraries beside the documents of a suite, and the actions of the project', () => {
    const dir = directory();
    for (const folder of ['recipes/a', 'recipes/recipe-library/recipes/cart', 'elsewhere'])
      mkdirSync(join(dir, folder), { recursive: true });
    const flow = { description: 'Asks.', workflow: { entry: 'ask', nodes: { ask: step('Ask the shop', 'done'), done } } };
    write(dir, 'recipes/a/b.flows.json', {
      schema_version: 1,
      kind: 'recipe-flow-catalog',
      owner: 'shop',
      flows: { 'shop.beside': flow },
    });
    write(dir, 'recipes/recipe-library/recipes/cart/fill.recipe.json', {});
    write(dir, 'elsewhere/c.flows.json', {
      schema_version: 1,
      kind: 'recipe-flow-catalog',
      owner: 'shop',
      flows: { 'shop.elsewhere': flow },
    });
    writeFileSync(join(dir, 'recipes/broken.flows.json'), '{');
    const review = new SuiteReview();
    review.declareActions(['lab.pick']);
    const { flows, actions } = review.coverage([join(dir, 'recipes/x.recipe.json'), join(dir, 'gone/y.recipe.json')]);
    expect(notTaken(flows)).toEqual(['cart.fill', 'shop.beside']);
    expect(notTaken(actions)).toContain('lab.pick');
  });

  test('index.md and the page show the coverage, and count the runs whose path is unknown', () => {
    const dir = directory();
    const coverage = new CoverageCollector();
    coverage.addRun('x', undefined);
    const withUnknownRun = { ...coverageOf(entries.slice(0, 2)), notDrawn: coverage.result().notDrawn };
    writeSuiteIndex(dir, [{ name: 'a' }], { coverage: withUnknownRun, page: new SuiteReview().page });
    const text = readFileSync(join(dir, 'index.md'), 'utf8');
    expect(text).toContain(
      '## Paths taken by the whole suite\n\n- branches: 1 of 3\n  - never taken: recipes/shop: which, otherwise\n'.slice(0, 60),
    );
    expect(text).toContain('- flows: 0 of 1\n  - never taken: shop.ask\n');
    expect(text).toContain('- runs without a known path: 1\n');
    expect(plain(readFileSync(join(dir, 'index.html'), 'utf8'))).toContain('1 of 3 branches taken');
  });
});
