// The picture of a recipe: what is on it, what a run adds, and that a recipe's own words stay words.
import { describe, expect, test } from 'vitest';
import type { TraceEntryJson } from '../../../src/evidence/models/traceModel.js';
import { buildBoards } from '../../../src/pages/graph/buildBoards.js';
import { PathTaken } from '../../../src/pages/graph/pathTaken.js';
import { renderMermaid } from '../../../src/pages/graph/renderMermaid.js';
import { renderSvg } from '../../../src/pages/graph/renderSvg.js';
import { hostileTexts } from '../../support/hostileTexts.js';
import { boardsIn, done, everyKind, graphOf, recipeOf, step } from './graphs.js';

const entry = (nodeId: string, rest: Partial<TraceEntryJson> = {}): TraceEntryJson => ({
  nodeId,
  action: 'command',
  ok: true,
  durationMs: 5,
  ...rest,
});

const run: TraceEntryJson[] = [
  entry('setup:0', { next: 'open' }),
  entry('open', { next: 'which' }),
  entry('which', { action: 'switch', next: 'wait', output: { case: 1, next: 'wait' } }),
  entry('wait', { next: 'open', durationMs: 1_500 }),
  entry('open#2', { next: 'which' }),
  entry('which#2', { action: 'switch', next: 'buy', output: { case: 0, next: 'buy' } }),
  entry('buy/ask', { ok: false, error: 'It says nothing.' }),
  entry('buy', { ok: false, error: 'It failed inside.' }),
  entry('teardown:0'),
];

function drawn(entries: readonly TraceEntryJson[] = run) {
  const { plan, options } = graphOf(everyKind);
  const taken = new PathTaken(plan);
  for (const one of entries) taken.add(one);
  const boards = buildBoards(plan, options);
  return { boards, taken, svg: renderSvg(boards, { taken }), text: renderMermaid(boards, taken) };
}

/** The texts of the box whose tooltip begins with an intent. */
function boxOf(svg: string, intent: string): string {
  return new RegExp(`<g class="([^"]*)"><title>${intent}.*?</g>`, 's').exec(svg)?.[0] ?? '';
}

describe('the picture of a recipe', () => {
  const svg = renderSvg(boardsIn(everyKind));

  test('has lanes for the phases that are there, in their order, and no others', () => {
    const titles = [...svg.matchAll(/font-size="12" font-weight="600" text-anchor="middle">([^<]+)</g)].map(([, title]) => title);
    expect(titles).toEqual(['Setup', 'Steps', 'Proof', 'Teardown']);
  });

  test('says the conditions of a switch in words, and what happens otherwise', () => {
    expect(svg).toContain('when open exitCode is 0');
    expect(svg).toContain('<title>when open stdout has &quot;closed&quot; and inputs patience is more than 3</title>');
    expect(svg).toContain('>otherwise<');
  });

  test('marks what proves a claim, and what nothing leads to', () => {
    expect(boxOf(svg, 'Ask for the price')).toContain('class="g-node g-proof"');
    expect(boxOf(svg, 'Ask for the price')).toContain('◆ proves AC1');
    expect(boxOf(svg, 'Nobody comes here')).toContain('unreachable');
  });

  test('has each flow once, with those who call it', () => {
    expect(boardsIn(everyKind).map(({ title, note }) => [title, note])).toEqual([
      ['A recipe to be drawn', undefined],
      ['Flow shop.ask', 'Used by buy, again'],
      ['group: in parallel', 'Used by group'],
    ]);
  });

  test('folds what is called into the calls on request, and nothing else', () => {
    const { plan, options } = graphOf(everyKind);
    const boards = buildBoards(plan, { ...options, calls: 'folded' });
    expect(boards.map(({ title }) => title)).toEqual(['A recipe to be drawn', 'group: in parallel']);
    const folded = renderSvg(boards);
    expect(boxOf(folded, 'Ask once more')).toContain('▸ Flow shop.ask, folded: 1 node');
    expect(folded).not.toContain('Ask the shop');
    expect(boxOf(svg, 'Ask once more')).toContain('▸ Flow shop.ask<');
    const text = renderMermaid(boards);
    expect(text).toContain('▸ Flow shop.ask, folded: 1 node');
    expect(text).not.toMatch(/subgraph b2|Ask the shop/);
    // A call that failed inside is no less red for being folded.
    const taken = new PathTaken(plan);
    for (const one of run) taken.add(one);
    expect(boxOf(renderSvg(boards, { taken }), 'Ask for the price')).toContain('g-fail');
  });

  test('has colours for light and dark', () => {
    expect(svg).toMatch(/prefers-color-scheme:dark/);
  });

  test('is the same each time', () => {
    expect(renderSvg(boardsIn(everyKind))).toBe(svg);
  });
});

describe('the way a run took', () => {
  test('says of each node what came of it, in which turn, how often and how long', () => {
    const { svg } = drawn();
    expect(boxOf(svg, 'Open the shop')).toContain('2. passed · 10 ms · 2 times');
    expect(boxOf(svg, 'Wait for it')).toContain('4. passed · 1.5 s');
    expect(boxOf(svg, 'Ask for the price')).toMatch(/g-fail.*6\. failed · 5 ms/s);
    expect(boxOf(svg, 'Ask once more')).toMatch(/g-none.*not reached/s);
  });

  test('says the same as Mermaid text', () => {
    const { text } = drawn();
    const box = (intent: string): string => text.split('\n').find((line) => line.includes(`["${intent}`)) ?? '';
    expect(box('Open the shop')).toContain('<br/>2#46; passed · 10 ms · 2 times"]:::pass');
    expect(box('Wait for it')).toContain('<br/>4#46; passed · 1.5 s"]:::pass');
    expect(box('Ask for the price')).toContain('<br/>6#46; failed · 5 ms"]:::fail');
    expect(box('Ask once more')).toContain('<br/>not reached"]:::none');
    expect(renderMermaid(boardsIn(everyKind))).not.toMatch(/passed|not reached/);
  });

  test('tells what is at work from what did not finish', () => {
    const { svg, text } = drawn([...run.slice(0, 3), { ...entry('wait'), running: true } as TraceEntryJson]);
    expect(boxOf(svg, 'Wait for it')).toMatch(/g-run.*4\. is running</s);
    expect(text).toMatch(/4#46; is running"\]:::run\n/);
    const dead = drawn([...run.slice(0, 3), entry('wait', { ok: false, unfinished: true })]);
    expect(boxOf(dead.svg, 'Wait for it')).toMatch(/g-fail.*4\. did not finish · 5 ms/s);
  });

  test('tells a flow by what ran inside of any of its calls', () => {
    expect(boxOf(drawn().svg, 'Ask the shop')).toMatch(/g-fail/);
    const second = drawn([...run.slice(0, 6), entry('again/ask'), entry('again')]);
    expect(boxOf(second.svg, 'Ask the shop')).toMatch(/g-pass/);
  });

  test('marks the cases that were chosen and no other', () => {
    const { text } = drawn(run.slice(0, 4));
    expect(text).toMatch(/ -->\|"when open stdout/);
    expect(text).toMatch(/ -\.->\|"when open exitCode/);
    expect(text).toMatch(/ -\.->\|"otherwise"/);
  });

  test('knows a node whose id looks like a path or a visit', () => {
    const odd = recipeOf('a/b', {
      'a/b': step('Slash', 'c#2'),
      'c#2': step('Visit', 'd[1]'),
      'd[1]': step('Item', 'done'),
      done,
    });
    const { plan, options } = graphOf(odd);
    const taken = new PathTaken(plan);
    for (const id of ['a/b', 'c#2', 'c#2#2', 'd[1]', 'none', 'a/none']) taken.add(entry(id));
    const counts = [...(buildBoards(plan, options)[0]?.nodes.values() ?? [])].map((node) => [
      node.id,
      taken.visitsOf(node.plan)?.count,
    ]);
    expect(counts).toEqual([
      ['a/b', 1],
      ['c#2', 2],
      ['d[1]', 1],
      ['done', undefined],
    ]);
  });

  test('does not take a run of another recipe for one of this', () => {
    const { plan } = graphOf(everyKind);
    const taken = new PathTaken(plan);
    taken.add(entry('elsewhere'));
    expect(taken.hasVisits).toBe(false);
  });
});

describe('words of a recipe in its picture', () => {
  const attacks = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onload='alert(1)",
    ']]><script>',
    '&lt;b&gt;',
    '"] --> x["',
    '`**b**`',
    '1. a list',
    '- a list',
    ...hostileTexts,
  ];

  test.for(attacks)('stay words: %j', (attack) => {
    const hostile = recipeOf(
      'a',
      { a: step(`Look at ${attack}`, 'done', { assert: { path: '$.a', operator: 'eq', value: attack } }), done },
      { title: attack },
    );
    const boards = boardsIn(hostile);
    const svg = renderSvg(boards);
    const tags = new Set([...svg.matchAll(/<\/?([^\s>/]+)/g)].map(([, name]) => name));
    expect([...tags].sort()).toEqual(['g', 'path', 'rect', 'style', 'svg', 'text', 'title']);
    expect(svg).not.toMatch(/ on\w+="/);
    expect(svg.trimEnd()).not.toMatch(/\p{C}|[\u2028\u2029]|##\[/u);
    for (const line of renderMermaid(boards).trimEnd().split('\n'))
      expect(line).toMatch(
        /^( *(flowchart TD|subgraph \w+\["[^"]*"\]|n\d+(\["[^"]*"\]|\(\["[^"]*"\]\))(:::\w+)?|end|n\d+ -->(\|"[^"]*"\|)? n\d+|classDef \w+ [\w:#,;. -]+))$/,
      );
  });
});
